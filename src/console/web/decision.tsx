/** A command that a person gives from the page: what it would do is said first, and it is done at the second press. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Changes } from "../api.js";
import type { Act, To } from "./choices.js";
import { post } from "./http.js";
import { focusMain, Sentences, useAct, useHere } from "./page.js";

/** Shows nothing if the console is read-only. */
export function Decision(props: { act: Act; to?: To; onDone?: (said: string[]) => void }) {
  return useHere().allowChanges ? <Dialog {...props} /> : null;
}

function Dialog({ act: how, to = {}, onDone }: Parameters<typeof Decision>[0]) {
  const { action, word, label, does, asks } = how;
  const start = asks?.start ?? "";
  const [text, setText] = useState(start);
  const [would, setWould] = useState<{ request: string } & Partial<Changes["do"]["answer"]>>({ request: "" });
  const [did, setDid] = useState<string[]>([]);
  const { isBusy, trouble, act } = useAct();
  const answer = asks && (asks.as === "ids" ? { ids: text } : { flags: { ...to.flags, [asks.as]: text } });
  const request = { target: useHere().name, action, word, ...to, ...answer };
  // A forecast for other records, or for more or fewer of them, does not count.
  const key = JSON.stringify([label, request]);
  const isForetold = would.request === key;
  const button = useRef<HTMLButtonElement>(null);
  const isUsed = useRef(false);
  useLayoutEffect(() => {
    if (isUsed.current) button.current?.focus();
  }, [isForetold]);
  useEffect(() => () => void (isUsed.current && focusMain()), []);
  const ask = async () => {
    isUsed.current = true;
    setDid([]);
    setWould({ request: key, ...(await post("do", { ...request, dry: true })) });
  };
  const run = async () => {
    const { said } = await post("do", { ...request, stamp: would.stamp, dry: false });
    setWould({ request: "" });
    (onDone ?? setDid)(said);
  };
  const field = {
    value: text,
    onInput(event: { currentTarget: { value: string } }) {
      isUsed.current = false;
      setText(event.currentTarget.value);
    },
  };
  const isLacking = asks !== undefined && text.trim() === start.trim();
  const main = (
    <button
      ref={button}
      class={isForetold && would.isDoubtful !== true ? "main" : ""}
      // Never disabled, which would drop the focus, and keyboards would pass it by.
      aria-disabled={isLacking}
      onClick={() => isBusy || isLacking || void act(isForetold ? run : ask)}
    >
      {isForetold && would.isDoubtful === true ? `${label} all the same` : label}
      {isForetold && isBusy && " …"}
    </button>
  );
  const no = (
    <button class={would.isDoubtful === true ? "main" : ""} onClick={() => setWould({ request: "" })}>
      No
    </button>
  );
  return (
    <div class="choice">
      {asks !== undefined && (
        <label>
          {asks.label} {asks.as === "ids" ? <textarea rows={6} {...field} /> : <input {...field} />}
        </label>
      )}
      {isForetold ? (
        <div class="job" role="group" aria-label={label}>
          <strong>This would happen:</strong>
          <Sentences said={would.said ?? []} />
          {main} {no}
        </div>
      ) : (
        <>
          {main}{" "}
          <span class="quiet">
            {isBusy ? "working out what it would do…" : does}
            {isLacking && ". Fill in the box first."}
          </span>
        </>
      )}
      <Sentences said={did} />
      {trouble}
    </div>
  );
}
