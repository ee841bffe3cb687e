/// <reference lib="dom" />
// The globals of the client in `window`: its active call, with participants, captions and its own id.
import { scenario } from './boot.ts'
import type { Captions } from './captions.ts'
import { place } from './place.ts'
import { isMuted, type Roster, streamOf } from './roster.ts'

export type CallParts = { readonly roster: Roster; readonly captions: Captions }

export function publishCall({ roster, captions }: CallParts): () => void {
  const call = {
    callerMri: roster.ownId,
    _callId: place.callId,
    get participants() {
      return roster.everything().map((it) => ({
        id: it.id,
        displayName: it.displayName,
        isServerMuted: isMuted(it),
        meetingRole: it.meetingRole,
        endpoints: { endpointDetails: it.endpoints },
        hasAudioSource: (csrc: number) => streamOf(it, 'audio')?.sourceId === csrc,
      }))
    },
    startClosedCaption: async () => captions.turn(true),
    stopClosedCaption: async () => captions.turn(false),
    setClosedCaptionsLanguage: async (language: string) => captions.setLanguage(language),
    getClosedCaptionsLanguage: () => captions.language,
  }
  const names: Readonly<Record<typeof scenario.globals, Readonly<Record<string, unknown>>>> = {
    callingDebug: { callingDebug: { observableCall: call } },
    msteamscalling: { msteamscalling: { deref: () => ({ callingService: { getActiveCall: () => call } }) } },
    none: {},
  }
  const published = names[scenario.globals]
  Object.assign(window, published)
  return () => {
    for (const name of Object.keys(published)) Reflect.deleteProperty(window, name)
  }
}
