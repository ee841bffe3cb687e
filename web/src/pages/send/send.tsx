// Sends a bot: common options as a form, all others collapsed below, and the same request as code beside it.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { CREATE_BOT } from '../../api/constants.gen.ts'
import * as api from '../../api/sdk.gen.ts'
import type { LinkVerdict } from '../../api/types.gen.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Field, Form } from '../../ui/form.tsx'
import { Problem } from '../../ui/states.tsx'
import { PLATFORMS } from '../../ui/status.tsx'
import { bodyOf, type Draft } from './draft.ts'
import { FIRST, groupsOf } from './fields.ts'
import { type Bind, Options } from './options.tsx'
import { Snippets } from './snippets.tsx'

const GROUPS = groupsOf(CREATE_BOT)
const FIELDS = [...FIRST, ...GROUPS.flatMap(({ fields }) => fields)]

export function Send() {
  return (
    <>
      <h1>Send a bot</h1>
      <p className="text-soft mt-2 mb-8 max-w-xl">It joins under its own name, where everybody can see it.</p>
      <SendForm />
    </>
  )
}

function SendForm() {
  const { workspace_id, role } = useWorkspace()
  const navigate = useNavigate()
  const [draft, setDraft] = useState<Draft>({})
  const set = (path: string, text: string) => setDraft((before) => ({ ...before, [path]: text }))
  const bind: Bind = (path) => ({ value: draft[path] ?? '', onChange: ({ target }) => set(path, target.value) })
  const { body, problems } = useMemo(() => bodyOf(draft, FIELDS), [draft])
  // One idempotency key per form content, so that a second press sends no second bot.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another body is another request.
  const key = useMemo(randomKey, [body])
  const send = useMutation({
    mutationFn: () => ask(api.createBot({ body, headers: { 'Idempotency-Key': key } })),
    onSuccess: ({ bot_id }) => void navigate({ to: '/w/$workspace/bots/$bot', params: { workspace: workspace_id, bot: bot_id } }),
  })
  const verdict = useLinkVerdict(draft.meeting_link ?? '')
  const isReady = Boolean(verdict?.platform) && Object.keys(problems).length === 0 && role !== 'viewer'
  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
      <Form className="flex flex-col gap-6" onSend={() => isReady && send.mutate()}>
        <LinkField bind={bind} verdict={verdict} onRoom={(room) => set('meeting_link', room)} />
        <div className="grid gap-6 sm:grid-cols-2">
          <Field
            label="Name of the bot"
            placeholder={CREATE_BOT.properties.bot_name.default}
            maxLength={CREATE_BOT.properties.bot_name.maxLength}
            {...bind('bot_name')}
          />
          <Field label="Join at" type="datetime-local" hint="Empty: now." {...bind('join_at')} />
        </div>
        <Options groups={GROUPS} problems={problems} bind={bind} />
        <Problem error={send.error} />
        <div className="flex items-center gap-4">
          <button type="submit" className="button button-main px-5 py-2.5" disabled={!isReady || send.isPending}>
            {send.isPending ? 'Sending …' : draft.join_at ? 'Schedule the bot' : 'Send the bot now'}
          </button>
          {role === 'viewer' && <span className="text-soft text-sm">Viewers cannot send bots.</span>}
        </div>
      </Form>
      <Snippets body={body} />
    </div>
  )
}

type LinkFieldProps = { readonly bind: Bind; readonly verdict: LinkVerdict | null; readonly onRoom: (url: string) => void }

function LinkField({ bind, verdict, onRoom }: LinkFieldProps) {
  const { workspace_id } = useWorkspace()
  const room = useMutation({ mutationFn: () => ask(api.createRoom({ body: {} })), onSuccess: ({ room_url }) => onRoom(room_url) })
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Meeting link"
        placeholder="https://meet.google.com/abc-defg-hij"
        autoFocus
        required
        problem={verdict?.problem}
        hint={
          verdict?.platform
            ? `✓ ${PLATFORMS[verdict.platform] ?? verdict.platform}`
            : 'Google Meet, Zoom, Microsoft Teams, or a room of this server.'
        }
        {...bind('meeting_link')}
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

const TYPING_PAUSE_MS = 300

/** Null while nothing is entered or the answer is pending. */
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
    queryFn: () => ask(api.checkLink({ path: { workspace_id }, body: { meeting_link: settled } })),
  })
  return settled !== '' && settled === link.trim() ? (data ?? null) : null
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
