// The texts of the page in English, letter by letter as the field notes have them.

export const ENGLISH = {
  launcher: {
    heading: 'How do you want to join your Teams meeting?',
    prompt: 'Your browser may ask to open Microsoft Teams. Select Open, or join in one of these ways.',
    openApp: 'Join on the Teams app',
    downloadApp: 'Download the Teams app',
    /** The text of the button that goes on without the app. */
    onWeb: {
      continue: 'Continue on this browser',
      join: 'Join from browser',
      web_app: 'Use the web app instead',
    },
    /** Its label for screen readers. */
    onWebLabel: {
      join_meeting: 'Join meeting from this browser',
      continue: 'Continue on this browser',
      join: 'Join on this browser',
    },
  },
  loading: 'Loading Microsoft Teams',

  typeYourName: 'Type your name',
  microphone: 'Microphone',
  camera: 'Camera',
  microphoneIs: { on: 'Your microphone is on', off: 'Your microphone is muted' },
  cameraIs: { on: 'Your camera is turned on', off: 'Your camera is turned off' },
  mute: 'Mute',
  unmute: 'Unmute',
  computerAudio: 'Computer audio',
  noAudio: "Don't use audio",
  speakerOn: 'Turn speaker on',
  videoOptions: 'Open video options',
  cancel: 'Cancel',
  join: { now: 'Join now', ask: 'Ask to join', meeting: 'Join meeting' },
  passcodeHeading: 'Enter the meeting passcode',
  typePasscode: 'Type a meeting passcode',
  wrongPasscode: 'That passcode is not correct.',
  retry: 'Retry',
  tryAgain: 'Try again',
  ok: 'OK',
  close: 'Close',
  dismiss: 'Dismiss',
  signIn: 'Sign in',
  noDevicesHeading: "Are you sure you don't want audio or video?",
  withoutDevices: 'Continue without audio or video',
  allowDevices: 'Select Allow to let Microsoft Teams use your mic and camera for this meeting',

  /** The waiting room. */
  lobby: {
    shortly: 'Someone will let you in shortly',
    soon: 'Someone will let you in soon',
    should_soon: 'Someone in the meeting should let you in soon',
    hi_should_soon: 'Hi {name}, someone in the meeting should let you in soon',
    in_lobby: "You're in the lobby",
    admitted: 'Waiting to be admitted',
    someone: 'Waiting for someone to let you in',
    request_sent: 'Your request to join has been sent, please wait',
  },
  /** The waiting room before the meeting has started. */
  notStarted: {
    when_starts: 'When the meeting starts, we’ll let people know you’re waiting',
    organizer_knows: 'We’ve let the organizer know that you’re waiting.',
    hi_when_starts: 'Hi, {name}. Someone will let you in when the meeting starts.',
    event: "The event hasn't started yet. Please wait.",
  },

  /** Headings of final screens. */
  screens: {
    denied: 'Sorry, but you were denied access to the meeting.',
    declined: 'Your request to join was declined',
    connect_error: "Sorry, we couldn't connect you",
    captcha: "Verify you're a real person",
    verify_info: 'We need to verify your info before you can join',
    sign_in_or_web: 'To join, sign in or use Teams on the web',
    signed_in_teams: 'You need to be signed in to Teams to access this meeting. Sign in and try again.',
    work_account: "If you're not signed in to a Teams (work or school) account, sign in and try again.",
    contact_organizer: 'Sign in to Teams to join, or contact the meeting organizer',
    signed_in_account: 'To join this Teams meeting, you need to be signed in to an account.',
    sign_in_again: 'To join this meeting, sign in again or select another account.',
    org_policy: 'Due to org policy, you need to sign in or use Teams on the web to join this meeting.',
    webinar: 'External participants are not permitted to join before the event begins. Please try again later.',
    bad_link: 'Looks like the meeting URL is incorrect. Please check the URL and try again.',
    no_match: "We couldn't find a meeting matching this ID and passcode.",
    encrypted: 'An encryption error occurred',
    removed: "You've been removed from this meeting",
    removed_meeting: 'Removed from the meeting',
    ended: 'The meeting has ended',
    call_ended: 'Call ended',
    left: 'Enjoy your call? Join Teams today for free',
    ended_title: 'The meeting has ended',
    town_hall: 'Sorry, this town hall can only be watched in its player',
  },
  rejoin: 'Rejoin',

  /** Over the call while there is no network. */
  network: {
    lost: 'Connection lost',
    unable: 'Unable to connect',
    reconnecting: 'Reconnecting',
    poor: 'Your network is causing poor call quality',
  },
  alone: {
    only_one: "You're the only one here",
    only_one_meeting: "You're the only one in this meeting",
    no_one: 'no one else is here',
    waiting: 'Waiting for others to join',
  },

  more: 'More',
  languageAndSpeech: 'Language and speech',
  captionsOn: 'Turn on live captions',
  captionsOff: 'Turn off live captions',
  captions: 'Captions',
  view: 'View',
  speakerView: 'Speaker',
  galleryView: 'Gallery',
  moreViewOptions: 'More options',
  incomingVideoOff: 'Turn off incoming video',
  incomingVideoOn: 'Turn on incoming video',
  chat: 'Chat',
  people: 'People',
  raise: 'Raise',
  react: 'React',
  share: 'Share',
  stopSharing: 'Stop sharing',
  muteMic: 'Mute mic',
  unmuteMic: 'Unmute mic',
  cameraOn: 'Turn camera on',
  cameraOff: 'Turn camera off',
  leave: 'Leave',
  leaveLabel: 'Leave (Ctrl+Shift+H)',
  popup: 'Now you can react without unmuting',
  /** Explicit consent, while a participant records. Only that there is such a dialog is known. */
  consent: { ask: 'This meeting is being recorded. Do you consent to being recorded?', yes: 'Yes, I consent', no: 'No' },
  attendees: 'Attendees',
  roles: { organizer: 'Organizer', presenter: 'Presenter', attendee: 'Attendee' },
  muted: 'muted',
  unmuted: 'unmuted',
  sharesScreen: '{name} is sharing a screen',
  /** Breakout rooms. Only the texts of the two buttons are known. */
  rooms: {
    countdown: "You'll be moved to {room} in 10 seconds",
    invitation: '{room} is open. Join your breakout room?',
    join: 'Join room',
    backTo: 'Breakout rooms are closing. Return to {room}?',
    back: 'Return',
    meeting: 'the main meeting',
    meetingTitle: 'Weekly meeting',
    joining: 'Joining {room}…',
  },
  typeMessage: 'Type a message',
  unknownUser: 'Unknown user',
}

export type Texts = typeof ENGLISH

/** British pages spell one word differently. */
export const BRITISH: Texts = JSON.parse(
  JSON.stringify(ENGLISH).replaceAll('organizer know', 'organiser know').replaceAll('meeting organizer', 'meeting organiser'),
)
