// A bot in its meeting: its latest screenshot, and the commands for it.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as api from '../../api/sdk.gen.ts'
import type { BotDetails } from '../../api/types.gen.ts'
import { useChange } from '../../reload.ts'
import { ask, ownLink } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Form, SureButton, Toggle } from '../../ui/form.tsx'
import { Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'
import { at, type Place, peopleQuery, screenshotsQuery } from './data.ts'
import { Watch } from './watch.tsx'

const LOOK_EVERY_MS = 5_000

/** The ways to send the typed text to the bot. */
const SAY = {
  message: {
    label: 'Write',
    placeholder: 'A message for the chat',
    send: (bot: string, text: string) => api.sendMessage({ ...at(bot), body: { message: text } }),
  },
  speech: {
    label: 'Speak',
    placeholder: 'A sentence to say aloud',
    send: (bot: string, text: string) => api.speak({ ...at(bot), body: { text } }),
  },
  image: {
    label: 'Show image',
    placeholder: 'https:// address of an image',
    send: (bot: string, text: string) => api.sendImage({ ...at(bot), body: { img_url: text } }),
  },
} as const

export function Controls({ place, bot }: { place: Place; bot: BotDetails }) {
  const { role } = useWorkspace()
  const isInside = bot.Status === 'InMeeting' || bot.Status === 'RecordingPermissionAllowed'
  // Participants and screenshots have no events, so they are polled.
  useQuery({ ...peopleQuery(place), refetchInterval: LOOK_EVERY_MS })
  return (
    <section aria-label="In the meeting" className="card grid gap-6 p-5 md:grid-cols-[minmax(0,20rem)_1fr] md:p-6">
      <Glance place={place} />
      <div className="flex min-w-0 flex-col gap-6">
        <Watch place={place} />
        {role === 'viewer' ? (
          <p className="text-soft">Viewers watch; members and owners can act.</p>
        ) : (
          <Acts place={place} isInside={isInside} />
        )}
      </div>
    </section>
  )
}

/** The newest screenshot. */
export function Glance({ place }: { place: Place }) {
  const { data } = useQuery({ ...screenshotsQuery(place), refetchInterval: LOOK_EVERY_MS })
  const newest = data?.at(-1)
  if (!newest) return <div className="bg-sunk text-soft grid aspect-video place-items-center rounded-xl text-sm">No screenshot yet</div>
  return (
    <figure>
      <img
        src={ownLink(newest.url)}
        alt="What the bot saw last"
        className="border-line aspect-video w-full rounded-xl border object-cover"
      />
      <figcaption className="text-soft mt-1.5 text-[13px]">
        Seen <When at={newest.timestamp} />
      </figcaption>
    </figure>
  )
}

function Acts({ place, isInside }: { place: Place; isInside: boolean }) {
  const act = useChange('bot', place.bot)
  const button = (label: string, work: () => Promise<unknown>) => (
    <Button label={label} disabled={!isInside || act.isPending} onClick={() => act.mutate(work)} />
  )
  return (
    <>
      <Say place={place} disabled={!isInside} />
      <div className="flex flex-wrap gap-2">
        {button('Pause recording', () => ask(api.pauseRecording(at(place.bot))))}
        {button('Resume recording', () => ask(api.resumeRecording(at(place.bot))))}
        {button('Take a screenshot', () => ask(api.takeScreenshot(at(place.bot))))}
        <SureButton
          label="Remove the bot"
          sure="Really remove the bot?"
          onSure={() => act.mutate(() => ask(api.removeBot(at(place.bot))))}
        />
      </div>
      <Problem error={act.error} />
    </>
  )
}

function Say({ place, disabled }: { place: Place; disabled: boolean }) {
  const [way, setWay] = useState<keyof typeof SAY>('message')
  const [text, setText] = useState('')
  const say = useMutation({ mutationFn: () => ask<unknown>(SAY[way].send(place.bot, text)), onSuccess: () => setText('') })
  return (
    <Form className="flex flex-col gap-2" onSend={() => say.mutate()}>
      <div className="flex gap-1">
        {Object.entries(SAY).map(([name, { label }]) => (
          <Toggle key={name} label={label} isOn={name === way} onClick={() => setWay(name as keyof typeof SAY)} />
        ))}
      </div>
      <div className="flex gap-2">
        <input
          aria-label={SAY[way].placeholder}
          className="field"
          placeholder={SAY[way].placeholder}
          value={text}
          maxLength={4000}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" label="Send" className="button-main" disabled={disabled || text.trim() === '' || say.isPending} />
      </div>
      <Problem error={say.error} />
    </Form>
  )
}
