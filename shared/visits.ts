// Why a visit to a link or picture of a message counts as a person's, a machine's or nobody's: words for a shop owner.

export const visitReasons: Record<string, { who: string; why: string }> = {
  browser: { who: 'browser', why: 'An ordinary browser.' },
  mail_app: { who: 'mail program', why: 'A mail program that people read with.' },
  gmail_proxy: { who: 'Gmail', why: 'Gmail fetches the pictures when its reader opens the mail.' },
  yahoo_proxy: { who: 'Yahoo Mail', why: 'Yahoo fetches the pictures when its reader opens the mail.' },
  pressed_restore: { who: 'browser', why: 'The button was pressed.' },
  head_request: { who: 'link scanner', why: 'It only asked whether the link answers, which browsers do not.' },
  prefetch: { who: 'prefetch', why: 'A browser fetched it ahead, before anybody wanted it.' },
  no_agent: { who: 'unnamed program', why: 'It did not say what it is, which browsers do.' },
  link_scanner: { who: 'link scanner', why: 'Security software that checks links for its customers.' },
  link_preview: { who: 'link preview', why: 'A messenger that draws a card of the link.' },
  robot: { who: 'robot', why: 'A program, not a browser.' },
  apple_mail_privacy: {
    who: 'Apple Mail',
    why: 'Apple Mail fetches all pictures by itself, read or not, so nobody can tell.',
  },
  gmail_prefetch: { who: 'Gmail', why: 'Gmail fetched the pictures on arrival, before anybody read the mail.' },
  too_soon: { who: 'link scanner', why: 'Sooner after sending than anybody can read.' },
  trap: { who: 'link scanner', why: 'It followed a link that no person can see.' },
  trap_burst: { who: 'link scanner', why: 'In the same seconds a link was followed that no person can see.' },
  many_links: { who: 'link scanner', why: 'It went through the links of the mail faster than people do.' },
  data_centre: {
    who: 'computer in a data centre',
    why: 'Scanners run there, and some people’s VPN. Counted as nobody.',
  },
  outdated_browser: {
    who: 'very old browser',
    why: 'It calls itself a browser that hardly anybody uses any more, as scanners do. Counted as nobody.',
  },
}

export const visitReason = (reason: string): { who: string; why: string } =>
  visitReasons[reason] ?? { who: 'machine', why: '' }
