// The traffic of Teams and the globals of its client that are read.
import type { CaptionScript, WebClient } from '../web-client/web-client.ts'

export const LISTENS: WebClient['listens'] = {
  channels: ['main-channel'],
  sent: { 'main-channel': 'requests' },
  answers: {},
  texts: { snapshot: 'flightproxy' },
  sockets: { trouter: 'trouter' },
  bound: { chat: 'onMessageReceived' },
  description: 'description',
  unnamedSound: true,
}

/** The client keeps its call in one of two places, or in none. */
const CALL = `(globalThis.callingDebug?.observableCall ?? globalThis.msteamscalling?.deref?.()?.callingService?.getActiveCall?.())`

/** Languages whose default region has another code. */
const REGIONS: Readonly<Record<string, string>> = {
  ...{ ar: 'sa', cs: 'cz', da: 'dk', el: 'gr', en: 'us', et: 'ee', he: 'il', hi: 'in', ja: 'jp', ko: 'kr', nb: 'no', no: 'no' },
  ...{ pt: 'br', sl: 'si', sv: 'se', uk: 'ua', vi: 'vn', zh: 'cn' },
}

/** Maps `de` and `en-GB` to Teams' `de-de` and `en-gb`. */
function captionCode(language: string): string {
  const [letters = '', region] = language.toLowerCase().split(/[-_]/)
  return `${letters}-${region ?? REGIONS[letters] ?? letters}`
}

export const CAPTIONS: CaptionScript = {
  begin: (language) => `(async (call) => {
    if (!call?.startClosedCaption) return false
    await call.startClosedCaption()
    ${language === null ? '' : `await call.setClosedCaptionsLanguage(${JSON.stringify(captionCode(language))})`}
    return true
  })(${CALL})`,
  keep: (language) => `(async (call, code) => {
    if (call?.setClosedCaptionsLanguage && call.getClosedCaptionsLanguage?.() !== code) await call.setClosedCaptionsLanguage(code)
  })(${CALL}, ${JSON.stringify(captionCode(language))})`,
}

export const GLOBALS: NonNullable<WebClient['globals']> = {
  globals: `((call) => call ? {
    ownId: call.callerMri,
    callId: call._callId,
    muted: [...call.participants ?? []].filter((it) => it.isServerMuted).map((it) => it.id),
  } : null)(${CALL})`,
}
