// WhatsApp call links. Whether anything can join them is the deployment's business; here they are only read.
import { hostOf, type LinkCore, type LinkReader, notAMeeting, problem, segmentsOf } from './reader.ts'

export type WhatsAppLink = LinkCore & { readonly platform: 'whatsapp'; readonly call: 'voice' | 'video' }

/** Tokens seen have 22 letters and digits; a little room is left for others. */
const TOKEN = /^[\w-]{16,32}$/

export const whatsAppReader: LinkReader<WhatsAppLink> = {
  owns: ({ url }) => hostOf(url) === 'call.whatsapp.com',
  read({ url }) {
    const [call, token, ...rest] = segmentsOf(url)
    if ((call !== 'voice' && call !== 'video') || rest.length > 0) return notAMeeting('a WhatsApp page')
    if (!token || !TOKEN.test(token)) return problem('malformed', 'is a WhatsApp link without a call token.')
    // A caller can switch between voice and video, so the token alone is the call.
    const address = `https://call.whatsapp.com/${call}/${token}`
    return { kind: 'link', platform: 'whatsapp', meetingId: token, url: address, joinable: true, reason: null, call }
  },
}
