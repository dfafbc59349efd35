// Detects the kind of client from the user agent. Pure. Contains only names that their makers or operators document.

export type ClientKind =
  /** Security software that opens links before or instead of a person. */
  | 'link_scanner'
  /** Messengers and mail programs that show a preview card of a link. */
  | 'link_preview'
  /** Crawlers, monitors, programs, libraries. */
  | 'robot'
  /** Fetches images for a webmail when the reader opens the mail. */
  | 'gmail_proxy'
  | 'yahoo_proxy'
  /** Fetches images on delivery, whether the mail is read or not. */
  | 'gmail_prefetch'
  | 'apple_mail_privacy'
  /** A desktop mail program. */
  | 'mail_app'
  /** Claims to be a browser version that has been out of use for years. */
  | 'outdated_browser'
  | 'browser'
  | 'none'

const SCANNERS =
  /proofpoint|mimecast|barracuda|symantec|messagelabs|safelinks|forcepoint|ironport|trendmicro|trend micro|fireeye|trellix|sophos|zscaler|fortiguard|checkpoint|avanan|cloudmark|vade ?secure|hornetsecurity|google-safety|bitdefender|kaspersky|mcafee|urlscan|virustotal|phish/i

const PREVIEWS =
  /facebookexternalhit|facebot|twitterbot|whatsapp\/|slackbot|slack-imgproxy|telegrambot|discordbot|linkedinbot|skypeuripreview|bingpreview|viber|snapchat.{0,80}preview|pinterestbot|redditbot|applebot|embedly|iframely|vkshare|google-pagerenderer/i

const ROBOTS =
  /bot\b|crawl|spider|scan|preview|fetch|monitor|curl|wget|python|java\/|okhttp|go-http|libwww|headless|phantomjs|puppeteer|playwright|axios|node-fetch|undici|guzzle|ruby|perl|httpclient|http-client|pingdom|uptime|lighthouse|apache-|dart:io|cfnetwork.{0,80}dataaccess/i

/** Gmail's fetch on delivery is documented with this user agent, which no browser ever sent. */
const GMAIL_PREFETCH = /Edge\/12\.246 Mozilla\/5\.0$/

const MAIL_APPS =
  /thunderbird|microsoft outlook|ms-office|msoffice|macoutlook|outlook-(ios|android)|airmail|emclient|postbox|lotus-notes|mailbird|evolution/i

/** Older versions no longer work with current TLS and shop pages, but scanners still claim them. */
const OLDEST = { Chrome: 70, Firefox: 60, MSIE: 11 } as const

/** Bounds the regular expressions; real user agents have a few hundred characters. */
const LONGEST_READ = 2_000

export function clientKind(userAgent: string): ClientKind {
  const name = userAgent.slice(0, LONGEST_READ).trim()
  if (name === '') return 'none'
  if (name === 'Mozilla/5.0') return 'apple_mail_privacy'
  if (/GoogleImageProxy/i.test(name)) return 'gmail_proxy'
  if (/YahooMailProxy/i.test(name)) return 'yahoo_proxy'
  if (GMAIL_PREFETCH.test(name)) return 'gmail_prefetch'
  if (SCANNERS.test(name)) return 'link_scanner'
  if (PREVIEWS.test(name)) return 'link_preview'
  if (ROBOTS.test(name)) return 'robot'
  if (MAIL_APPS.test(name)) return 'mail_app'
  if (!/^(Mozilla|Opera)\//.test(name)) return 'robot'
  return isOutdated(name) ? 'outdated_browser' : 'browser'
}

function isOutdated(name: string): boolean {
  return Object.entries(OLDEST).some(([browser, oldest]) => {
    const version = new RegExp(`\\b${browser}[/ ](\\d+)`).exec(name)?.[1]
    return version !== undefined && Number(version) < oldest
  })
}
