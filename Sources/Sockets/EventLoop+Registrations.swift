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
        handlers[position] = handler
        slots[position].number = descriptor.rawValue
        slots[position].isReceivedAhead = false
        return registration
    }

    /// Changes what is waited for; one system call. Nothing happens after removal.
    package func modify(_ registration: Registration, interest: Readiness) {
        guard let slot = slot(of: registration) else { return }
        control(EPOLL_CTL_MOD, slot.number, interest, registration.userData)
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

    /// The handler of a registration, unless that is removed.
    package func handler(of registration: Registration) -> (any ReadinessHandler)? {
        guard slot(of: registration) != nil else { return nil }
        return handlers[Int(registration.slot)]
    }

    /// The count of places for registrations, taken and free, to go through all handlers.
    package var slotCount: Int { slots.count }

    package func handler(at slot: Int) -> (any ReadinessHandler)? { handlers[slot] }

    /// Lets go of all handlers. Epoll forgets the descriptors that they close; nobody waits in it
    /// any more for the others.
    func removeAllRegistrations() {
        for position in slots.indices where handlers[position] != nil {
            _ = vacate(
                Registration(slot: UInt32(position), generation: slots[position].generation))
        }
    }

    /// The slot of a registration, copied at once; nil where that is removed.
    func slot(of registration: Registration) -> Slot? {
        let position = Int(registration.slot)
        guard position < slots.count, slots[position].generation == registration.generation,
            slots[position].number >= 0
        else { return nil }
        return slots[position]
    }

    private func vacantSlot() -> UInt32 {
        guard firstFreeSlot == Slot.none else {
            let index = firstFreeSlot
            firstFreeSlot = slots[Int(index)].nextFree
            return index
        }
        slots.append(Slot())
        handlers.append(nil)
        return UInt32(slots.count - 1)
    }

    private func vacate(_ registration: Registration) -> Int32? {
        guard let number = slot(of: registration)?.number else { return nil }
        let position = Int(registration.slot)
        // The handler may end with this reference, and must not find the slot half changed.
        let handler = handlers[position].take()
        slots[position].number = -1
        slots[position].generation &+= 1
        slots[position].nextFree = firstFreeSlot
        firstFreeSlot = registration.slot
        _ = consume handler
        return number
    }
}

/// A registered descriptor, or a link of the free list. Its handler stands apart: what has no
/// references is read and changed without a check at run time.
struct Slot: BitwiseCopyable {
    /// The end of the free list.
    static let none: UInt32 = .max
    /// Stands for the wake-up in epoll's user data: a slot that cannot be.
    static let wakeUserData: UInt64 = .max

    /// The registered number; -1 in a free slot.
    var number: Int32 = -1
    /// In a free slot the next free one.
    var nextFree = none
    /// What can be received is received before the handler's event, together with others'.
    var isReceivedAhead = false
    /// Counts the registrations of the slot, and begins again after the last number: events and
    /// handles of a registration are gone long before.
    var generation: UInt32 = 0
}

/// Events of a descriptor: those that a registration waits for, or those that have come true. They are
/// level-triggered: what is not taken is reported again.
@usableFromInline
package struct Readiness: OptionSet, Sendable, Hashable {
    /// The bits of epoll's event mask, which are the same everywhere (epoll_ctl(2)).
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Something can be received or accepted, or the peer has ended its side: receiving tells.
    @inlinable package static var read: Readiness { Readiness(rawValue: 0x001) }
    /// There is room to send. To be waited for only while something is waiting to be sent: a level
    /// that stays true would spin the loop.
    @inlinable package static var write: Readiness { Readiness(rawValue: 0x004) }
    /// The peer has ended its side, told even while `read` is off (`EPOLLRDHUP`).
    @inlinable package static var peerClosed: Readiness { Readiness(rawValue: 0x2000) }
    /// Both sides have ended, or the connection was reset or has an error (`EPOLLHUP`, `EPOLLERR`).
    /// Told without being asked for, until the registration is removed.
    @inlinable package static var over: Readiness { Readiness(rawValue: 0x018) }
    /// One of the loops that share this descriptor is woken, not all: for listeners, which every
    /// loop adds. Such a registration can be added and removed, not modified, and takes no
    /// `peerClosed`. Never told.
    @inlinable package static var exclusive: Readiness { Readiness(rawValue: 1 << 28) }
}

/// Takes the readiness of one registered descriptor.
package protocol ReadinessHandler: AnyObject {
    /// Called on the loop in each turn in which one of `events` holds. The registration may be
    /// removed in here. Must not block. A handler that receives by `EventLoop.receive(from:)` does
    /// so in each event with `.read`, or removes the registration.
    func ready(_ events: Readiness, on loop: isolated EventLoop)
}

/// A descriptor's place in one loop. Once removed it means nothing: a slot used again has another
/// generation, so that an event of the former registration is dropped.
package struct Registration: Sendable, Hashable, BitwiseCopyable {
    let slot: UInt32
    let generation: UInt32

    /// That of a descriptor which no loop watches: it means nothing to any.
    package static let none = Registration(slot: Slot.none, generation: 0)

    /// Epoll's user data.
    var userData: UInt64 {
        UInt64(generation) << 32 | UInt64(slot)
    }
}
