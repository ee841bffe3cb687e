// Addresses of pages on other hosts.

/** The home page of guests. */
export const MARKETING_URL = 'https://workspace.google.com/products/meet/'

/** The page of people who may watch a meeting, but are not in it. */
export const LIVE_STREAM_URL = 'https://stream.meet.google.com/stream/0f6e1c1e-8f5b-4f39-9c60-0a4c1ad0a5b2'

export function signInUrl(continueTo: string): string {
  return `https://accounts.google.com/v3/signin/identifier?continue=${encodeURIComponent(continueTo)}&flowName=GlifWebSignIn`
}
