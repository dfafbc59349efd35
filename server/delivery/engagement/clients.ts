// What a user agent's name gives away. Pure. Names stand here only where the software's makers or its operators document them.

export type ClientKind =
  /** Security software that looks at links before, or instead of, a person. */
  | 'link_scanner'
  /** Messengers and mail programs that draw a card from what is behind a link. */
  | 'link_preview'
  /** Crawlers, monitors, programs, libraries. */
  | 'robot'
  /** Fetches pictures for a webmail when its reader opens the mail. */
  | 'gmail_proxy'
  | 'yahoo_proxy'
  /** Fetches pictures on delivery, whether the mail is read or not. */
  | 'gmail_prefetch'
  | 'apple_mail_privacy'
  /** A mail program on a desk. */
  | 'mail_app'
  /** Calls itself a browser that was out of use years ago. */
  | 'outdated_browser'
  | 'browser'
  | 'none'

const SCANNERS =
  /proofpoint|mimecast|barracuda|symantec|messagelabs|safelinks|forcepoint|ironport|trendmicro|trend micro|fireeye|trellix|sophos|zscaler|fortiguard|checkpoint|avanan|cloudmark|vade ?secure|hornetsecurity|google-safety|bitdefender|kaspersky|mcafee|urlscan|virustotal|phish/i

const PREVIEWS =
  /facebookexternalhit|facebot|twitterbot|whatsapp\/|slackbot|slack-imgproxy|telegrambot|discordbot|linkedinbot|skypeuripreview|bingpreview|viber|snapchat.{0,80}preview|pinterestbot|redditbot|applebot|embedly|iframely|vkshare|google-pagerenderer/i

const ROBOTS =
  /bot\b|crawl|spider|scan|preview|fetch|monitor|curl|wget|python|java\/|okhttp|go-http|libwww|headless|phantomjs|puppeteer|playwright|axios|node-fetch|undici|guzzle|ruby|perl|httpclient|http-client|pingdom|uptime|lighthouse|apache-|dart:io|cfnetwork.{0,80}dataaccess/i

/** Gmail's fetch on arrival is documented to claim this combination, which no browser ever sent. */
const GMAIL_PREFETCH = /Edge\/12\.246 Mozilla\/5\.0$/

const MAIL_APPS =
  /thunderbird|microsoft outlook|ms-office|msoffice|macoutlook|outlook-(ios|android)|airmail|emclient|postbox|lotus-notes|mailbird|evolution/i

/** Years after their last release; TLS and the pages of shops have left them behind, scanners keep naming them. */
const OLDEST = { Chrome: 70, Firefox: 60, MSIE: 11 } as const

/** Browsers name themselves in some hundred characters. */
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
