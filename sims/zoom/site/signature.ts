// Checks the signature of an SDK app, a JWT signed with HS256 and the app's secret. Each fault has its code.
import { createHmac, timingSafeEqual } from 'node:crypto'

export type App = { readonly key: string; readonly secret: string; readonly isDisabled?: boolean }

type Claims = {
  readonly appKey?: unknown
  readonly sdkKey?: unknown
  readonly mn?: unknown
  readonly role?: unknown
  readonly iat?: unknown
  readonly exp?: unknown
  readonly tokenExp?: unknown
}

const UNKNOWN_KEY = 3704
const EXPIRED = 3705
const OTHER_MEETING = 3706
const WRONG_ROLE = 3708
const DISABLED_KEY = 3710
const INVALID = 3712
const LIFE_SECONDS = { least: 1_800, most: 172_800 }

/** 0 if there is no fault. */
export function signatureFault(signature: string, meetingNumber: string, apps: readonly App[], nowMs: number): number {
  const claims = claimsIn(signature)
  if (!claims) return INVALID
  const app = apps.find(({ key }) => key === claims.appKey)
  if (!app) return claims.appKey === undefined ? INVALID : UNKNOWN_KEY
  if (!isSignedBy(signature, app.secret)) return INVALID
  if (app.isDisabled) return DISABLED_KEY
  return claimsFault(claims, meetingNumber, nowMs / 1000)
}

function claimsFault({ mn, role, iat, exp, tokenExp, appKey, sdkKey }: Claims, meetingNumber: string, now: number): number {
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof tokenExp !== 'number') return INVALID
  if (sdkKey !== undefined && sdkKey !== appKey) return INVALID
  if (exp <= now || tokenExp <= now) return EXPIRED
  if (exp - iat < LIFE_SECONDS.least || exp - iat > LIFE_SECONDS.most) return INVALID
  if (String(mn) !== meetingNumber) return OTHER_MEETING
  return role === 0 || role === 1 ? 0 : WRONG_ROLE
}

function claimsIn(signature: string): Claims | null {
  const [head, body, mac, ...more] = signature.split('.')
  if (!head || !body || !mac || more.length > 0) return null
  try {
    const { alg, typ } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly alg?: unknown; readonly typ?: unknown }
    return alg === 'HS256' && typ === 'JWT' ? (JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims) : null
  } catch {
    return null
  }
}

function isSignedBy(signature: string, secret: string): boolean {
  const at = signature.lastIndexOf('.')
  const wanted = createHmac('sha256', secret).update(signature.slice(0, at)).digest()
  const given = Buffer.from(signature.slice(at + 1), 'base64url')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
