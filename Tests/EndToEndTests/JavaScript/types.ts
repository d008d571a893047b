import {
  Mirror, StatecastError, TextField, applyPatch, clockOf, connectDevTools, createSession, openSession,
} from "../../../Sources/CPages/client/statecast.js";

interface List { items: { id: string; name: string }[]; note?: string }
type ListAction =
  | { type: "list/added"; payload: { name: string } }
  | { type: "list/cleared" };

export async function use(): Promise<void> {
  const id: string = await createSession("/list", undefined, { input: { name: "Home" } });
  const list = await openSession<List, ListAction>("/list", id, {
    headers: async () => ({ Authorization: "Bearer token" }),
    predict: (state, action, key) =>
      action.type === "list/added"
        ? { ...state, items: [...state.items, { id: key, name: action.payload.name }] }
        : state,
  });
  const stop: () => void = list.subscribe(() => {});
  const names = list.select(({ items }) => items.map(({ name }) => name));
  const first: string | undefined = names.getState()?.[0];
  const { token } = await list.dispatch([{ type: "list/added", payload: { name: first ?? "" } }]);
  const field = new TextField<ListAction>({
    mirror: list, action: (name) => ({ type: "list/added", payload: { name } }),
  });
  list.onState((state) => field.sync(state?.note ?? ""));
  list.onStatus(({ phase, problem }) => phase === "lost" && problem?.detail);
  const { getState, dispatch } = { ...list };
  const time: number = clockOf().now() + list.clock.offset + (getState()?.items.length ?? 0);
  dispatch({ type: "list/cleared" }).catch((error: StatecastError) => error.fault("/payload"));
  connectDevTools(list, { name: `${list.includes(token)} ${time}` })();
  applyPatch({ a: 1 }, [{ op: "remove", path: "/a" }]);
  stop();

  // @ts-expect-error
  void list.dispatch({ type: "list/removed" });
  // @ts-expect-error
  void list.dispatch({ type: "list/added" });
  // @ts-expect-error
  void list.dispatch({ type: "list/added", payload: { name: 1 } });
  // @ts-expect-error
  void list.state.items;
  // @ts-expect-error
  void names.getState()?.[0]?.id;
  // @ts-expect-error
  void list.dispatch({ type: "list/cleared" }, { predict: () => ({ items: 1 }) });
  // @ts-expect-error
  void new Mirror("/list", "home", { mode: "websocket" });
  // @ts-expect-error
  list.onStatus(({ phase }) => phase === "gone");
}
