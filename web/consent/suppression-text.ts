import type { SuppressionEntry } from '../../shared/suppressions.ts'

// Describes an entry's source. Pure.

const SOURCES: Record<string, string> = {
  'by hand': 'added manually',
  'one-click': 'with the unsubscribe button of their email app',
  'unsubscribe page': 'on the unsubscribe page',
  'preference page': 'on the preference page',
  smtp: 'the mail server refused the address',
  dsn: 'an email bounced',
  arf: 'reported by their email provider',
  sms: 'reported by the SMS provider',
  whatsapp: 'reported by the WhatsApp provider',
  ses: 'reported by Amazon SES',
  postmark: 'reported by Postmark',
  sendgrid: 'reported by SendGrid',
  mailgun: 'reported by Mailgun',
  erasure: 'erased on request',
}

/** A file source has the form `file old.csv`; unknown sources are shown unchanged. */
export function describeSource({ source, addedBy }: Pick<SuppressionEntry, 'source' | 'addedBy'>): string {
  const words = source.startsWith('file')
    ? source.replace(/^file ?/, 'from the file ').trim()
    : (SOURCES[source] ?? source)
  return addedBy ? `${words} (${addedBy})` : words
}
