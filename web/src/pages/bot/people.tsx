// The participants and their chat messages.
import { useQuery } from '@tanstack/react-query'
import { Await } from '../../ui/states.tsx'
import { clock } from '../../ui/status.tsx'
import { type Place, peopleQuery } from './data.ts'

const Nothing = ({ children }: { children: string }) => <p className="text-soft mt-3 text-sm">{children}</p>

export function People({ place }: { place: Place }) {
  const query = useQuery(peopleQuery(place))
  return (
    <section aria-labelledby="people">
      <h2 id="people">People</h2>
      <Await query={query}>
        {({ people }) =>
          people.length === 0 ? (
            <Nothing>No participants.</Nothing>
          ) : (
            <ul className="mt-3">
              {people.map((person) => (
                <li key={person.deviceId} className="border-line flex items-baseline gap-3 border-b py-2.5">
                  <span className="min-w-0 flex-1 truncate font-medium">{person.fullName}</span>
                  <span className="text-soft text-sm">{person.left_at ? 'left' : 'in the meeting'}</span>
                  <span className="text-soft w-28 text-right text-sm tabular-nums">spoke {clock(person.speaking_seconds)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </section>
  )
}

export function Chat({ place }: { place: Place }) {
  const query = useQuery(peopleQuery(place))
  return (
    <section aria-labelledby="chat">
      <h2 id="chat">Chat</h2>
      <Await query={query}>
        {({ messages }) =>
          messages.length === 0 ? (
            <Nothing>No messages.</Nothing>
          ) : (
            <ul className="mt-3 flex flex-col gap-3">
              {messages.map((message) => (
                <li key={message.messageId} className={`rounded-xl px-3.5 py-2.5 ${message.is_bot ? 'bg-accent-wash' : 'bg-sunk'}`}>
                  <p className="text-soft flex justify-between gap-3 text-[13px]">
                    <span>{message.speakerName}</span>
                    <span className="tabular-nums">{clock(message.sessionTimestamp)}</span>
                  </p>
                  <p className="whitespace-pre-wrap">{message.text}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </section>
  )
}
