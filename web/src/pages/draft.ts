// What is typed into the form, and the request that it makes.
import type { CreateBotData } from '../api/types.gen.ts'
import { ATTRIBUTE } from '../bot-search.ts'
import type { Provider } from '../ui/providers.ts'

export type Body = CreateBotData['body']

export type Draft = {
  readonly link: string
  readonly name: string
  readonly joinAt: string
  readonly video: boolean
  readonly layout: string
  readonly message: string
  readonly provider: Provider | ''
  readonly callback: string
  readonly attributes: string
  readonly more: string
}

export const EMPTY: Draft = {
  ...{ link: '', name: '', joinAt: '', video: true, layout: 'grid_view', message: '', provider: '', callback: '', attributes: '' },
  more: '',
}

export function bodyOf(draft: Draft): { readonly body: Body; readonly problem: string | null } {
  const attributes = Object.fromEntries([...draft.attributes.matchAll(ATTRIBUTE)].map(([, name, value]) => [name, value]))
  const config = {
    ...(draft.layout !== 'grid_view' && { video_layout: draft.layout as 'speaker_view' }),
    ...(draft.provider && { transcript: { provider: draft.provider } }),
  }
  const body = {
    meeting_link: draft.link.trim(),
    ...(draft.name.trim() && { bot_name: draft.name.trim() }),
    ...(draft.joinAt && { join_at: new Date(draft.joinAt).toISOString() }),
    ...(!draft.video && { video_required: false }),
    ...(draft.message && { bot_message: draft.message }),
    ...(draft.callback && { callback_url: draft.callback }),
    ...(Object.keys(attributes).length > 0 && { custom_attributes: attributes }),
    ...(Object.keys(config).length > 0 && { recording_config: config }),
  }
  if (draft.more.trim() === '') return { body, problem: null }
  try {
    return { body: { ...body, ...JSON.parse(draft.more) }, problem: null }
  } catch {
    return { body, problem: 'This is not JSON yet.' }
  }
}
