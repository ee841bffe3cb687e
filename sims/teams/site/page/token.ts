/// <reference lib="dom" />
// The token of a bot that identifies itself stays in the address when the page goes on.

export function tokenIn(address: string): string | null {
  return /[#&]token=([^&#]+)/.exec(address)?.[1] ?? null
}

export function withToken(address: string): string {
  const token = tokenIn(location.href)
  return token === null ? address : `${address}${address.includes('#') ? '&' : '#'}token=${token}`
}
