// Entries of the roster in the shape in which the SDK hands them out.
import type { Attendee } from '../client.ts'

export function sdkUser(attendee: Attendee, ownId: number): Readonly<Record<string, unknown>> {
  const { id, name, muted, audio, bHost, bCoHost, bGuest, bVideoOn, bShareOn, bBotUser, customerKey, zoomID, botAuthorizer = '' } = attendee
  return {
    userId: id,
    self: id === ownId,
    userName: name,
    muted,
    audio,
    isHost: bHost,
    isCoHost: bCoHost,
    isGuest: bGuest,
    isHold: false,
    persistentID: zoomID,
    participantUUID: zoomID,
    customerKey,
    video: bVideoOn,
    raiseHand: false,
    sharingStatus: bShareOn ? 'sharing' : 'stopped',
    isBotUser: bBotUser,
    botBrandName: '',
    botAuthorizerName: botAuthorizer,
  }
}
