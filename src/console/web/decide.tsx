/** Work that no correction can send: the evidence, and the choices with what each of them would do. */
import { useState } from "preact/hooks";
import { counted, grouped } from "../../report/figures.js";
import { documentOf, type Found, offersOf, resume } from "./choices.js";
import { Decision } from "./decision.js";
import { Lines, Link, Note, param, Prose, Sentences, useData, useHere, when } from "./page.js";
import { Work } from "./overview.js";

export function Decide() {
  const code = param("code") ?? "";
  const { data, waiting, trouble } = useData("decisions", { code });
  const { canResume, decide } = useHere().target;
  const [did, setDid] = useState<string[]>([]);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  if (data === null) return waiting;
  const { count, records, meaning } = data;
  const chosen = records.filter(({ row }) => row !== null && ticked.includes(row));
  // Participants and addresses are of no document, and are decided by their code alone.
  const isListed = records.length > 0;
  const { ids, many, of } = offersOf(code, data, chosen);
  return (
    <>
      <h1>
        <Prose text={meaning} /> <span class="quiet">{counted(count, "record")}</span>
      </h1>
      <Sentences said={did} />
      {trouble}
      <Work />
      {!isListed && <Prose text={decide.find((cause) => cause.code === code)?.what ?? ""} />}
      {ids !== null && (
        <details>
          <summary>Enter many ids at once</summary>
          <Decision key={ids.asks?.start ?? ""} act={ids} onDone={setDid} />
        </details>
      )}
      {count === 0 ? (
        <>
          <Note text="Nothing is left to decide here. The overview shows what else is open." />
          {canResume && <Decision act={resume} />}
        </>
      ) : (
        many.map((offer) => <Decision key={offer.act.does} {...offer} onDone={setDid} />)
      )}
      <ul class="records">
        {records.map((record) => (
          <li key={`${documentOf(record)} ${record.event} ${record.row}`}>
            <Record
              record={record}
              isForMany={many.length > 0}
              isTicked={chosen.includes(record)}
              tick={(isTicked) =>
                setTicked([...ticked.filter((row) => row !== record.row), ...(isTicked ? [record.row ?? ""] : [])])
              }
            />
            {of(record).map((offer) => (
              <Decision key={offer.act.label} {...offer} onDone={setDid} />
            ))}
          </li>
        ))}
      </ul>
      {isListed && records.length < count && <p class="quiet">The first {grouped(records.length)} are shown.</p>}
    </>
  );
}

const none = <span class="quiet">none</span>;

function Record(props: { record: Found; isForMany: boolean; isTicked: boolean; tick: (isTicked: boolean) => void }) {
  const { record, isForMany, isTicked, tick } = props;
  const { event, at, row, place, changes, message } = record;
  const title = `${record.kind} ${record.key}`;
  return (
    <>
      <h2>
        {useHere().allowChanges && isForMany && row !== null && (
          <input
            type="checkbox"
            aria-label={`${title}, ${place}`}
            checked={isTicked}
            onChange={({ currentTarget }) => tick(currentTarget.checked)}
          />
        )}{" "}
        <Link to="/find" query={{ what: documentOf(record) }}>
          {title}
        </Link>{" "}
        {event !== null && (
          <span class="quiet">
            {event}, {at && when(at)}
          </span>
        )}
      </h2>
      <p>
        {changes.length === 0 && <Prose text={message ?? ""} />} <span class="quiet">{place}</span>
      </p>
      {changes.length > 0 && (
        <Lines
          name={title}
          rows={changes}
          columns={{
            Field: ({ field }) => field,
            Landed: ({ landed }) => landed ?? none,
            "The row now says": ({ now }) => now ?? none,
          }}
        />
      )}
    </>
  );
}
