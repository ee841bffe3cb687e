// A dashboard client without a page: keeps its cookie and sends the page's requests.
import { type Answer, type Client, clientOf } from './service.ts'

export const PASSWORD = 'a long enough password'

export type TestBrowser = {
  readonly url: string
  /** With cookie, CSRF token and workspace, as the page does. */
  readonly ask: Client
  /** With the cookie alone, as in a cross-site request. */
  readonly cookieOnly: Client
  readonly cookie: () => string
  readonly workspaceId: () => string
  session(): Promise<Answer>
  signIn(email: string, password?: string): Promise<Answer>
  /** Opens a set-up link or an invitation and creates the account. */
  join(link: string, person: { readonly name: string; readonly email?: string; readonly password?: string }): Promise<Answer>
  choose(workspaceId: string): void
}

export function browserOf(url: string): TestBrowser {
  const plain = clientOf(url, null)
  let cookie = ''
  let csrf = ''
  let workspace = ''
  const cookieOnly: Client = (method, path, body, headers = {}) => plain(method, path, body, { cookie, ...headers })
  const ask: Client = (method, path, body, headers = {}) =>
    cookieOnly(method, path, body, { 'x-csrf-token': csrf, 'x-workspace': workspace, 'sec-fetch-site': 'same-origin', ...headers })

  async function enter(path: string, body: unknown): Promise<Answer> {
    const answer = await ask('POST', path, body)
    if (answer.status !== 200) return answer
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    csrf = answer.body.csrf_token
    workspace = answer.body.workspaces[0]?.workspace_id ?? ''
    return answer
  }
  return {
    url,
    ask,
    cookieOnly,
    cookie: () => cookie,
    workspaceId: () => workspace,
    session: () => ask('GET', '/dashboard/v1/session'),
    signIn: (email, password = PASSWORD) => enter('/dashboard/v1/session', { email, password }),
    join: (link, { password = PASSWORD, ...person }) =>
      enter('/dashboard/v1/invitation/accept', { token: link.split('#')[1], password, ...person }),
    choose(workspaceId) {
      workspace = workspaceId
    },
  }
}

/** A person with this role in the owner's workspace. */
export async function inviteTo(owner: TestBrowser, role: string): Promise<TestBrowser> {
  const email = `${role}-${Math.random().toString(36).slice(2)}@example.com`
  const { body } = await owner.ask('POST', `/dashboard/v1/workspaces/${owner.workspaceId()}/invitations`, { email, role })
  const browser = browserOf(owner.url)
  const { status } = await browser.join(body.url, { name: role })
  if (status !== 200) throw new Error(`The invitation was answered with ${status}`)
  return browser
}

/** A bot that is scheduled for tomorrow. */
export const scheduled = (browser: TestBrowser): Promise<Answer> =>
  browser.ask('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
