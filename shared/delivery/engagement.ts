// Explains to shop owners whether a link or image request came from a person or a machine, or is unclear.

export const engagementReasons: Record<string, { who: string; why: string }> = {
  browser: { who: 'browser', why: 'An ordinary browser.' },
  mail_app: { who: 'mail program', why: 'An ordinary email app.' },
  gmail_proxy: { who: 'Gmail', why: 'Gmail loads the pictures when the reader opens the email.' },
  yahoo_proxy: { who: 'Yahoo Mail', why: 'Yahoo loads the pictures when the reader opens the email.' },
  pressed_notification: { who: 'browser', why: 'The notification was pressed.' },
  pressed_restore: { who: 'browser', why: 'The button was pressed.' },
  head_request: { who: 'link scanner', why: 'It only checked whether the link works, which browsers do not do.' },
  prefetch: { who: 'prefetch', why: 'A browser prefetched it.' },
  no_agent: { who: 'unnamed program', why: 'It did not identify itself, as browsers do.' },
  link_scanner: { who: 'link scanner', why: 'Security software that checks links for its customers.' },
  link_preview: { who: 'link preview', why: 'A messaging app that shows a preview of the link.' },
  robot: { who: 'robot', why: 'A program, not a browser.' },
  apple_mail_privacy: {
    who: 'Apple Mail',
    why: 'Apple Mail loads all pictures automatically, so this does not show that the email was read.',
  },
  gmail_prefetch: { who: 'Gmail', why: 'Gmail loaded the pictures on arrival, before anyone read the email.' },
  too_soon: { who: 'link scanner', why: 'It came too soon after sending to be a person.' },
  honeypot: { who: 'link scanner', why: 'It followed a link that people cannot see.' },
  honeypot_burst: { who: 'link scanner', why: 'A link that people cannot see was followed within the same seconds.' },
  many_links: { who: 'link scanner', why: 'It followed the email’s links faster than people do.' },
  data_centre: {
    who: 'computer in a data centre',
    why: 'Scanners and some VPNs run there. Not counted as a person.',
  },
  outdated_browser: {
    who: 'very old browser',
    why: 'It claims to be a browser that hardly anyone uses any more, as scanners do. Not counted as a person.',
  },
}

export const explainEngagement = (reason: string): { who: string; why: string } =>
  engagementReasons[reason] ?? { who: 'machine', why: '' }
