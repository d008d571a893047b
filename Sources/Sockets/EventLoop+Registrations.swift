internal import CLinux
internal import Glibc

extension EventLoop {
    /// Gives pages that the allocator has no use for back to the kernel. Takes some milliseconds.
    package func trimMemory() { clinux_trim_memory() }

    /// Watches a descriptor, which must stay open until it is removed or closed right after.
    ///
    /// The loop holds the handler until then. Throws when the kernel refuses (out of memory or
    /// above its limit of watches, or a kind of file that cannot be watched).
    package func add(
        _ descriptor: borrowing Descriptor, interest: Readiness, handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        let index = vacantSlot()
        let position = Int(index)
        let registration = Registration(slot: index, generation: slots[position].generation)
        do throws(SystemError) {
            try system.control(
                epoll, EPOLL_CTL_ADD, descriptor.rawValue, events: interest.rawValue,
                userData: registration.userData)
        } catch {
            slots[position].nextFree = firstFreeSlot
            firstFreeSlot = index
            throw error
        }
        slots[position].handler = handler
        slots[position].number = descriptor.rawValue
        return registration
    }

    /// Changes what is waited for; one system call. Nothing happens after removal.
    package func modify(_ registration: Registration, interest: Readiness) {
        guard let position = position(of: registration) else { return }
        control(EPOLL_CTL_MOD, slots[position].number, interest, registration.userData)
    }

    /// Stops watching, before the descriptor moves to another owner; events already read are
    /// dropped. Nothing happens the second time.
    package func remove(_ registration: Registration) {
        guard let number = vacate(registration) else { return }
        control(EPOLL_CTL_DEL, number, [], 0)
    }

    private func control(
        _ operation: Int32, _ number: Int32, _ interest: Readiness, _ userData: UInt64
    ) {
        do throws(SystemError) {
            try SystemCalls().control(
                epoll, operation, number, events: interest.rawValue, userData: userData)
        } catch {
            preconditionFailure("A registered descriptor can be modified and removed: \(error)")
        }
    }

    /// Stops watching and closes: as the kernel forgets a closed descriptor by itself, this saves
    /// a system call. No duplicate of the descriptor may be open elsewhere.
    package func remove(_ registration: Registration, closing descriptor: consuming Descriptor) {
        _ = vacate(registration)
        descriptor.close()
    }

    /// Hands one event to its handler, or drops it when its registration is no more.
    func deliver(_ events: Readiness, to registration: Registration) {
        guard let position = position(of: registration), let handler = slots[position].handler
        else { return }
        handler.ready(events, on: self)
    }

    /// Lets go of all handlers. Epoll forgets the descriptors that they close; nobody waits in it
    /// any more for the others.
    func removeAllRegistrations() {
        for position in slots.indices where slots[position].handler != nil {
            _ = vacate(
                Registration(slot: UInt32(position), generation: slots[position].generation))
        }
    }

    func position(of registration: Registration) -> Int? {
        let position = Int(registration.slot)
        guard position < slots.count, slots[position].generation == registration.generation,
            slots[position].handler != nil
        else { return nil }
        return position
    }

    private func vacantSlot() -> UInt32 {
        guard firstFreeSlot == Slot.none else {
            let index = firstFreeSlot
            firstFreeSlot = slots[Int(index)].nextFree
            return index
        }
        slots.append(Slot())
        return UInt32(slots.count - 1)
    }

    private func vacate(_ registration: Registration) -> Int32? {
        guard let position = position(of: registration) else { return nil }
        let number = slots[position].number
        // The handler may end with this reference, and must not find the slot half changed.
        let handler = slots[position].handler.take()
        slots[position].generation &+= 1
        slots[position].nextFree = firstFreeSlot
        firstFreeSlot = registration.slot
        _ = consume handler
        return number
    }
}

/// A registered descriptor, or a link of the free list.
struct Slot {
    /// The end of the free list.
    static let none: UInt32 = .max
    /// Stands for the wake-up in epoll's user data: a slot that cannot be.
    static let wakeUserData: UInt64 = .max
    /// No descriptor has a number that needs this bit.
    private static let aheadBit: UInt32 = 1 << 31

    var handler: (any ReadinessHandler)?
    /// In a free slot the next free one; else the registered number, and whether it is received
    /// from ahead of its events: an idle connection has no byte more for that.
    private var bits: UInt32 = 0
    /// Counts the registrations of the slot, and begins again after the last number: events and
    /// handles of a registration are gone long before.
    var generation: UInt32 = 0

    /// The registered number. Setting it begins anew.
    var number: Int32 {
        get { Int32(bits & ~Self.aheadBit) }
        set { bits = UInt32(newValue) }
    }

    /// What can be received is received before the handler's event, together with others'.
    var isReceivedAhead: Bool {
        get { bits & Self.aheadBit != 0 }
        set { bits = newValue ? bits | Self.aheadBit : bits & ~Self.aheadBit }
    }

    /// The next free slot.
    var nextFree: UInt32 {
        get { bits }
        set { bits = newValue }
    }
}
