// Microsoft's sign-in pages, with the real ids and names of their controls.

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`)

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><link rel="icon" href="data:,"></head><body><div id="lightbox">${body}</div></body></html>`
}

function form(heading: string, content: string): string {
  return `<form name="f1" method="post"><div role="heading" aria-level="1" id="loginHeader">${heading}</div>${content}</form>`
}

function alert(id: string, text: string): string {
  return text === '' ? '' : `<div id="${id}" class="alert-error" role="alert" aria-live="assertive">${escaped(text)}</div>`
}

export function addressPage(email: string, problem: string): string {
  const field = `<input type="email" name="loginfmt" id="i0116" value="${escaped(email)}" placeholder="Email, phone, or Skype" aria-label="Enter your email, phone, or Skype.">`
  return page(
    'Sign in to your account',
    form('Sign in', `${alert('usernameError', problem)}${field}<input type="submit" id="idSIButton9" value="Next">`),
  )
}

export function passwordPage(email: string, problem: string): string {
  const known = `<div id="displayName">${escaped(email)}</div><input type="hidden" name="loginfmt" value="${escaped(email)}">`
  const field = '<input type="password" name="passwd" id="i0118" placeholder="Password" aria-label="Enter the password">'
  return page(
    'Sign in to your account',
    form('Enter password', `${known}${alert('passwordError', problem)}${field}<input type="submit" id="idSIButton9" value="Sign in">`),
  )
}

export function stayPage(ticket: string): string {
  const text = '<div id="KmsiDescription">Do this to reduce the number of times you are asked to sign in.</div>'
  const buttons =
    '<input type="submit" id="idBtn_Back" name="stay" value="No"><input type="submit" id="idSIButton9" name="stay" value="Yes">'
  return page('Sign in to your account', form('Stay signed in?', `${text}<input type="hidden" name="ticket" value="${ticket}">${buttons}`))
}

/** Pages that an account without a human cannot pass. */
export const OBSTACLES = {
  second_factor: page(
    'Sign in to your account',
    '<div role="heading" aria-level="1" id="idDiv_SAOTCAS_Title">Approve sign in request</div><div>Open your Authenticator app, and enter the number shown to sign in.</div>',
  ),
  more_information: page(
    'Sign in to your account',
    '<div role="heading" aria-level="1" id="ProofUpDescription">More information required</div><div>Your organization needs more information to keep your account secure</div><input type="submit" id="idSubmit_ProofUp_Redirect" value="Next">',
  ),
  new_password: page(
    'Sign in to your account',
    '<div role="heading" aria-level="1">Update your password</div><div>You need to update your password because this is the first time you are signing in, or because your password has expired.</div><input type="password" name="currentpasswd"><input type="password" name="newpasswd">',
  ),
} as const

export function landingPage(name: string): string {
  return page('Home | Microsoft 365', `<h1>Welcome, ${escaped(name)}</h1>`)
}

export function errorPage(sentence: string): string {
  return page(
    'Sign in to your account',
    `<div role="heading" aria-level="1">Sorry, but we’re having trouble signing you in.</div><p>${escaped(sentence)}</p>`,
  )
}
