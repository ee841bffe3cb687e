// The filters of the list of bots, as they are in the address.
export type BotSearch = { q?: string; status?: string; platform?: string }

/** `team:sales` or `team=sales` filters by an attribute. */
export const ATTRIBUTE = /(\S+?)[:=](\S+)/g

const text = (value: unknown) => (typeof value === 'string' && value ? value : undefined)

export function botSearchIn(search: Record<string, unknown>): BotSearch {
  return { q: text(search.q), status: text(search.status), platform: text(search.platform) }
}
