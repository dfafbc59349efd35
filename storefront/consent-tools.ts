import { isTheme } from './cart.ts'

// Reads the shop's consent tool: WP Consent API (used by Complianz, CookieYes and others), Cookiebot, Google's consent
// mode, and Shopify's customer privacy. Defaults are no answer; one refusal overrides any consent.

interface View {
  consent_api?: { cookie_prefix?: string }
  Cookiebot?: { hasResponse?: boolean; consent?: { marketing?: boolean } }
  dataLayer?: { push(...entries: unknown[]): number }
  Shopify?: { customerPrivacy?: { currentVisitorConsent?: () => { marketing?: string } } }
}

const view = window as unknown as View

/** true: agreed; false: refused; undefined: no answer yet, or no tool. */
export function readToolConsent(): boolean | undefined {
  const answers = [
    ...(isTheme
      ? [parseAnswer(view.Shopify?.customerPrivacy?.currentVisitorConsent?.().marketing)]
      : [
          parseAnswer(readWpConsent('marketing')),
          parseAnswer(readWpConsent('functional')) === false ? false : undefined,
        ]),
    view.Cookiebot?.hasResponse ? view.Cookiebot.consent?.marketing === true : undefined,
    parseAnswer(readGoogleConsent()),
  ]
  return answers.includes(false) ? false : answers.includes(true) || undefined
}

function parseAnswer(value: string | undefined): boolean | undefined {
  if (/^(allow|granted|yes)$/.test(`${value}`)) return true
  return /^(deny|denied|no)$/.test(`${value}`) ? false : undefined
}

function readWpConsent(category: string): string | undefined {
  const name = `${view.consent_api?.cookie_prefix || 'wp_consent'}_${category}=`
  return document.cookie
    .split('; ')
    .find((each) => each.startsWith(name))
    ?.slice(name.length)
}

/** From updates, not from defaults. */
function readGoogleConsent(): string | undefined {
  let answer: string | undefined
  for (const entry of Array.from((view.dataLayer || []) as unknown as ArrayLike<unknown[]>)) {
    if (entry?.[0] !== 'consent' || entry[1] !== 'update') continue
    const signals = entry[2] as { ad_user_data?: string; ad_storage?: string }
    answer = signals.ad_user_data || signals.ad_storage || answer
  }
  return answer
}

const EVENTS =
  'wp_listen_for_consent_change visitorConsentCollected CookiebotOnConsentReady CookiebotOnAccept CookiebotOnDecline visibilitychange'

/** Calls `onChange` when a tool's answer changes, on this page or another one. */
export function watchConsentTools(onChange: () => void): void {
  let last = readToolConsent()
  const checkAnswer = () => {
    const answer = readToolConsent()
    if (answer === last) return
    last = answer
    onChange()
  }
  for (const name of EVENTS.split(' '))
    for (const target of [window, document]) target.addEventListener(name, checkAnswer)
  const layer = view.dataLayer || []
  view.dataLayer = layer
  const push = layer.push
  layer.push = (...entries) => {
    const length = push.apply(layer, entries)
    checkAnswer()
    return length
  }
}
