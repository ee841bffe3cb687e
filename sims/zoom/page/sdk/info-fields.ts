/// <reference lib="dom" />
// The form fields of `wc/info`, out of the arguments of `join`.
import type { Callbacks } from './results.ts'

export type JoinArgs = Callbacks & {
  readonly meetingNumber: string | number
  readonly userName: string
  readonly signature: string
  readonly passWord?: string
  readonly userEmail?: string
  readonly customerKey?: string
  readonly tk?: string
  readonly zak?: string
  readonly obfToken?: string
  readonly recordingToken?: string
}

export type InfoFields = Readonly<Record<string, string>>

const VERSION = '6.2.0'
const LONGEST_CUSTOMER_KEY = 36

export function infoFields(args: JoinArgs): InfoFields {
  const { meetingNumber, userName, signature, passWord = '', userEmail = '', customerKey = '' } = args
  return {
    meetingNumber: String(meetingNumber).replaceAll(/\D/g, ''),
    userName,
    passWord,
    signature,
    signatureType: 'sdk',
    userEmail,
    apiKey: appKeyIn(signature),
    lang: document.documentElement.lang || 'en-US',
    cv: VERSION,
    proxy: '1',
    ulsm: '0',
    sdkOrigin: btoa(location.origin),
    sdkUrl: btoa(location.href),
    corsHeader: '1',
    suid: '',
    captcha: '',
    captchaName: '',
    tk: args.tk ?? '',
    ztk: '',
    zsk: args.zak ?? '',
    obfToken: args.obfToken ?? '',
    recordingToken: args.recordingToken ?? '',
    customerKey: customerKey.slice(0, LONGEST_CUSTOMER_KEY),
  }
}

function appKeyIn(signature: string): string {
  try {
    const body = signature.split('.')[1] ?? ''
    return String((JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))) as { readonly appKey?: string }).appKey ?? '')
  } catch {
    return ''
  }
}
