// Addresses of pages on other hosts.

/** The home page of guests. */
export const MARKETING_URL = 'https://workspace.google.com/products/meet/'

export function signInUrl(continueTo: string): string {
  return `https://accounts.google.com/v3/signin/identifier?continue=${encodeURIComponent(continueTo)}&flowName=GlifWebSignIn`
}
