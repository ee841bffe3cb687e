// Google's sign-in pages, as far as a sign-in passes through them.

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`)

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head><body>${body}</body></html>`
}

/** Google's buttons contain a span in a span. */
function button(label: string, id: string): string {
  return `<div id="${id}"><button type="submit" jsname="LgbsSe"><div></div><span><span jsname="V67aGc">${label}</span></span></button></div>`
}

export function addressPage(next: string, problem = ''): string {
  const field = '<input type="email" id="identifierId" name="identifier" autocomplete="username" aria-label="Email or phone">'
  const fields = `${field}<input type="hidden" name="continue" value="${escaped(next)}"><div aria-live="assertive">${escaped(problem)}</div>`
  const heading = '<h1>Sign in</h1><div>to continue to Gmail</div>'
  return page('Gmail', `${heading}<form method="post" action="/v3/signin/identifier">${fields}${button('Next', 'identifierNext')}</form>`)
}

export function passwordPage(email: string): string {
  const field = '<input type="password" name="Passwd" autocomplete="current-password" aria-label="Enter your password">'
  return page('Gmail', `<h1>Welcome</h1><div>${escaped(email)}</div><form method="post">${field}${button('Next', 'passwordNext')}</form>`)
}

export function speedBumpPage(email: string, action: string): string {
  const text = `<h1>Verify that it’s you</h1><p>You signed in to your Google Account through your organization as ${escaped(email)}.</p>`
  return page('Google Accounts', `${text}<form method="post" action="${escaped(action)}">${button('Continue', 'confirm')}</form>`)
}

export function challengePage(email: string): string {
  const text =
    '<h1>2-Step Verification</h1><p>To help keep your account safe, Google wants to make sure it’s really you trying to sign in</p>'
  return page('Google Accounts', `${text}<div>${escaped(email)}</div>`)
}

export function refusedPage(): string {
  return page('Sign in - Google Accounts', '<h1>Couldn’t sign you in</h1><p>This browser or app may not be secure.</p>')
}

export function errorPage(sentence: string): string {
  return page('Google Workspace', `<div>Google Workspace</div><p>${escaped(sentence)}</p>`)
}

export function accountPage(email: string): string {
  return page('Google Account', `<h1>Welcome, ${escaped(email)}</h1>`)
}
