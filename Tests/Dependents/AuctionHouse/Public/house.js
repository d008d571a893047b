// The page of the auction house: the lobby, or the auction that the address names behind #.
import { createSession, Mirror, request } from "/client/statecast.js"

const element = (id) => document.getElementById(id)
const show = (id, isShown) => { element(id).hidden = !isShown }
const nameOf = (id) => id.replace(/#.*/, "")
let me, isModerator, mirror, timer

/** Lines of a list, each a text or an element. */
function list(id, lines) {
    element(id).replaceChildren(...lines.map((line) => {
        const item = document.createElement("li")
        item.append(line)
        return item
    }))
}

/** Has something done, and tells why it was not. */
async function attempt(doing) {
    element("note").textContent = ""
    try {
        await doing()
    } catch (error) {
        const faults = error.errors?.map((fault) => fault.detail).join(" ")
        element("note").textContent = faults || error.message
    }
}

/** A form whose fields are handed on, numbers as numbers. */
function onSubmit(id, doing) {
    element(id).onsubmit = (event) => {
        event.preventDefault()
        const fields = [...event.target.elements].filter((field) => field.name && field.value)
        const values = fields.map((field) =>
            [field.name, field.type === "number" ? field.valueAsNumber : field.value])
        attempt(async () => {
            await doing(Object.fromEntries(values))
            event.target.reset()
        })
    }
}

function showLobby({ auctions }) {
    const sorted = Object.entries(auctions).sort(([, one], [, other]) =>
        one.ends.milliseconds - other.ends.milliseconds)
    list("auctions", sorted.map(([id, auction]) => {
        const link = document.createElement("a")
        link.href = `#${id}`
        link.textContent = `${auction.title}, of ${nameOf(auction.seller)}: ${auction.phase}`
        return link
    }))
}

function showAuction(state) {
    element("title").textContent = state.title
    const left = Math.max(0, Math.ceil((state.ends - mirror.clock.now()) / 1_000))
    element("facts").textContent = [
        state.phase === "open" ? `${left} s left` : state.phase,
        state.winner && `sold to ${nameOf(state.winner)}`,
        `reserve ${state.reserve}`,
        state.count !== undefined && `${state.count} bids`,
        state.yours !== undefined && `yours: ${state.yours}`,
    ].filter(Boolean).join(" · ")
    list("bids", (state.bids ?? []).map((bid) =>
        `${nameOf(bid.bidder)}: ${bid.amount}${bid.isRefused ? ", refused" : ""}`))
    list("lines", state.lines.map((line) => `${nameOf(line.author)}: ${line.text}`))
    element("present").textContent = state.present.map(nameOf).join(", ")
    show("bid", me && !isModerator && state.seller !== me.id && state.phase === "open")
    show("closed", state.phase === "open")
    show("retried", state.phase === "stalled")
}

/** Follows what the address names, as who is signed in. */
function arrive() {
    mirror?.close()
    clearInterval(timer)
    const id = location.hash.slice(1)
    const render = id ? showAuction : showLobby
    show("lobby", !id)
    show("auction", Boolean(id))
    mirror = id
        ? new Mirror("/auctions", id, { identity: me?.id })
        : new Mirror("/lobby", "lobby", { identity: me?.id })
    const draw = () => { if (mirror.state) render(mirror.state) }
    mirror.onState(draw)
    const own = mirror
    own.onStatus(({ phase }) => {
        if (own === mirror) element("connection").textContent = phase === "live" ? "" : phase
    })
    if (id) timer = setInterval(draw, 1_000)
    element("timeline").href = `/inspect/timeline/?session=/auctions/sessions/${id}`
}

/** Asks who is signed in; the roles stand in the description of any session. */
async function meet() {
    me = await request("/me").catch(() => undefined)
    const lobby = await request("/lobby/sessions/lobby").catch(() => undefined)
    isModerator = lobby?.you.roles.includes("moderator") ?? false
    element("me").textContent = me?.name ?? ""
    for (const id of ["sign-out", "open", "say"]) show(id, Boolean(me))
    show("sign-in", !me)
    show("moderator", isModerator)
    arrive()
}

const act = (type) => (payload) => mirror.dispatch({ type, payload })
onSubmit("sign-in", async (wish) => { await request("/sign-in", { body: wish }); await meet() })
onSubmit("open", async (input) => { location.hash = await createSession("/auctions", undefined, { input }) })
onSubmit("bid", act("bid"))
onSubmit("say", act("said"))
for (const type of ["closed", "retried"]) element(type).onclick = () => attempt(() => act(type)())
element("sign-out").onclick = () =>
    attempt(async () => { await request("/sign-out", { method: "POST" }); await meet() })
window.onhashchange = arrive
meet()
