// A few calls of a real service with the generated client, typed from end to end.
import { client } from './generated/client.gen.ts'
import { createBot, createRoom, getBotDetail, getBotStatus, listBots, listWebhookEndpoints } from './generated/index.ts'

export type Told = {
  readonly created: string
  readonly state: string
  readonly names: readonly string[]
  readonly refusal: string
  readonly rooms: string
}

export async function tell(baseUrl: string, apiKey: string): Promise<Told> {
  client.setConfig({ baseUrl, auth: `Token ${apiKey}` })
  const tag = 'of-the-generated-client'
  const { data: made } = await createBot({
    body: {
      meeting_link: 'https://meet.google.com/abc-defg-hij',
      join_at: new Date(Date.now() + 86_400_000).toISOString(),
      custom_attributes: { tag },
    },
    throwOnError: true,
  })
  const { data: status } = await getBotStatus({ path: { bot_id: made.bot_id }, throwOnError: true })
  const { data: list } = await listBots({ query: { custom_attr: { tag } }, throwOnError: true })
  const { data: detail } = await getBotDetail({ path: { bot_id: made.bot_id }, query: { expires_in: 60 }, throwOnError: true })
  const { error } = await getBotStatus({ path: { bot_id: 'bot_unknown' } })
  const { data: room } = await createRoom({ body: { name: 'stand-up' }, throwOnError: true })
  const { response } = await listWebhookEndpoints()
  return {
    created: made.status,
    state: status.status,
    names: [...list.bots.map(({ bot_name }) => bot_name), detail.bot_details.BotUsername],
    refusal: error?.message ?? 'none',
    rooms: `${response?.status} ${room.room_url}`,
  }
}
