// Sending a bot: the common options as a form, every other one as JSON, and the same request as curl and as code beside it.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { LinkVerdict } from '../../../src/service/api/schemas/dashboard.ts'
import { createBot, createRoom } from '../api/sdk.gen.ts'
import { ask, askOwn } from '../service.ts'
import { useWorkspace } from '../session.ts'
import { Area, Choice, Field, Switch } from '../ui/form.tsx'
import { LIVE_PROVIDERS, PROVIDERS } from '../ui/providers.ts'
import { Problem } from '../ui/states.tsx'
import { PLATFORMS } from '../ui/status.tsx'
import { bodyOf, type Draft, EMPTY } from './draft.ts'
import { Snippets } from './snippets.tsx'

/** Several options of create_bot have no field of their own here. */
const MORE = '{ "automatic_leave": { "everyone_left_timeout": 60 } }'

export function Send() {
  const { workspace_id, role } = useWorkspace()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(EMPTY)
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const { body, problem } = useMemo(() => bodyOf(draft), [draft])
  // One key for one filled form: a second press of the button sends no second bot.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another body is another request.
  const key = useMemo(randomKey, [body])
  const send = useMutation({
    mutationFn: () => ask(createBot({ body, headers: { 'idempotency-key': key } })),
    onSuccess: ({ bot_id }) => void navigate({ to: '/w/$workspace/bots/$bot', params: { workspace: workspace_id, bot: bot_id } }),
  })
  const verdict = useLinkVerdict(draft.link)
  const isReady = Boolean(verdict?.platform) && !problem && role !== 'viewer'
  return (
    <>
      <h1>Send a bot</h1>
      <p className="text-soft mt-2 mb-8 max-w-xl">It joins under its own name, where everybody can see it.</p>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <form
          className="flex flex-col gap-6"
          onSubmit={(event) => {
            event.preventDefault()
            if (isReady) send.mutate()
          }}
        >
          <LinkField draft={draft} verdict={verdict} set={set} />
          <div className="grid gap-6 sm:grid-cols-2">
            <Field
              label="Name of the bot"
              placeholder="Emissary"
              maxLength={100}
              value={draft.name}
              onChange={({ target }) => set({ name: target.value })}
            />
            <Field
              label="Join at"
              type="datetime-local"
              hint="Empty: now."
              value={draft.joinAt}
              onChange={({ target }) => set({ joinAt: target.value })}
            />
          </div>
          <Options draft={draft} set={set} problem={problem} />
          <Problem error={send.error} />
          <div className="flex items-center gap-4">
            <button type="submit" className="button button-main px-5 py-2.5" disabled={!isReady || send.isPending}>
              {send.isPending ? 'Sending …' : draft.joinAt ? 'Schedule the bot' : 'Send the bot now'}
            </button>
            {role === 'viewer' && <span className="text-soft text-sm">Viewers cannot send bots.</span>}
          </div>
        </form>
        <Snippets body={body} />
      </div>
    </>
  )
}

type Part = { readonly draft: Draft; readonly set: (change: Partial<Draft>) => void }

function LinkField({ draft, verdict, set }: Part & { verdict: LinkVerdict | null }) {
  const { workspace_id } = useWorkspace()
  const room = useMutation({ mutationFn: () => ask(createRoom({ body: {} })), onSuccess: ({ room_url }) => set({ link: room_url }) })
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Meeting link"
        placeholder="https://meet.google.com/abc-defg-hij"
        autoFocus
        required
        value={draft.link}
        problem={verdict?.problem}
        hint={
          verdict?.platform
            ? `✓ ${PLATFORMS[verdict.platform] ?? verdict.platform}`
            : 'Google Meet, Zoom, Microsoft Teams, or a room of this server.'
        }
        onChange={({ target }) => set({ link: target.value })}
      />
      <p className="text-soft text-sm">
        No meeting at hand?{' '}
        <button type="button" className="link" onClick={() => room.mutate()} disabled={room.isPending}>
          Open a room of this server
        </button>
        {room.data && (
          <>
            {' '}
            and{' '}
            <a className="link" href={room.data.room_url} target="_blank" rel="noreferrer">
              join it yourself
            </a>
          </>
        )}
        , or{' '}
        <Link to="/w/$workspace/try" params={{ workspace: workspace_id }} className="link">
          watch a trial
        </Link>
        .
      </p>
      <Problem error={room.error} />
    </div>
  )
}

function Options({ draft, set, problem }: Part & { problem: string | null }) {
  return (
    <details className="card p-5" open={Boolean(problem)}>
      <summary className="font-medium">More options</summary>
      <div className="mt-5 flex flex-col gap-6">
        <Switch
          label="Record video"
          hint="Off: sound only."
          checked={draft.video}
          onChange={({ target }) => set({ video: target.checked })}
        />
        <div className="grid gap-6 sm:grid-cols-2">
          <Choice label="Layout of the video" value={draft.layout} onChange={({ target }) => set({ layout: target.value })}>
            <option value="grid_view">Everybody, as a grid</option>
            <option value="speaker_view">The one who speaks</option>
          </Choice>
          <Choice
            label="Transcribed by"
            value={draft.provider}
            onChange={({ target }) => set({ provider: [...PROVIDERS, ...LIVE_PROVIDERS].find((it) => it === target.value) ?? '' })}
          >
            <option value="">This server, after the call</option>
            {[...PROVIDERS, ...LIVE_PROVIDERS].map((it) => (
              <option key={it}>{it}</option>
            ))}
          </Choice>
        </div>
        <Field
          label="First message in the chat"
          maxLength={4000}
          value={draft.message}
          onChange={({ target }) => set({ message: target.value })}
        />
        <Field
          label="Webhook of this bot"
          type="url"
          placeholder="https://"
          value={draft.callback}
          onChange={({ target }) => set({ callback: target.value })}
        />
        <Field
          label="Attributes"
          placeholder="team:sales week:46"
          hint="Find the bot by them later."
          value={draft.attributes}
          onChange={({ target }) => set({ attributes: target.value })}
        />
        <Area
          label="Anything else of create_bot, as JSON"
          placeholder={MORE}
          problem={problem}
          hint="See the API reference for every field."
          value={draft.more}
          onChange={({ target }) => set({ more: target.value })}
        />
      </div>
    </details>
  )
}

const TYPING_PAUSE_MS = 300

/** Null while nothing was typed or the answer is on its way. */
function useLinkVerdict(link: string): LinkVerdict | null {
  const { workspace_id } = useWorkspace()
  const [settled, setSettled] = useState(link)
  useEffect(() => {
    const pause = setTimeout(() => setSettled(link.trim()), TYPING_PAUSE_MS)
    return () => clearTimeout(pause)
  }, [link])
  const { data } = useQuery({
    queryKey: [workspace_id, 'link', settled],
    enabled: settled !== '',
    queryFn: () => askOwn<LinkVerdict>('POST', `/workspaces/${workspace_id}/check_link`, { meeting_link: settled }),
  })
  return settled !== '' && settled === link.trim() ? (data ?? null) : null
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
