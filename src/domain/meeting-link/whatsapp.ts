// WhatsApp call links. They are parsed here, although no driver may be installed.
import { hostOf, type LinkCore, type LinkReader, notAMeeting, pathParts, problem } from './reader.ts'

export type WhatsAppLink = LinkCore & { readonly platform: 'whatsapp'; readonly call: 'voice' | 'video' }

/** Known tokens have 22 letters and digits. The range leaves room for others. */
const TOKEN = /^[\w-]{16,32}$/

export const whatsAppReader: LinkReader<WhatsAppLink> = {
  owns: ({ url }) => hostOf(url) === 'call.whatsapp.com',
  read({ url }) {
    const [call, token, ...rest] = pathParts(url)
    if ((call !== 'voice' && call !== 'video') || rest.length > 0) return notAMeeting('a WhatsApp page')
    if (!token || !TOKEN.test(token)) return problem('malformed', 'is a WhatsApp link without a call token.')
    // A call can switch between voice and video, so the token alone is its identity.
    const address = `https://call.whatsapp.com/${call}/${token}`
    return { kind: 'link', platform: 'whatsapp', meetingId: token, url: address, joinable: true, reason: null, call }
  },
}
