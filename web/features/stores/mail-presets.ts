import type { MailSecurity } from '../../../shared/delivery/mail-server.ts'

/** Settings that an email provider publishes for its mail server. */
export interface MailPreset {
  name: string
  host: string
  port: number
  security: MailSecurity
  /** Prefilled, where every customer of the provider has the same. */
  user?: string
  /** What user and password are. */
  signIn: string
}

/**
 * Sources: support.google.com/mail/answer/185833, developers.brevo.com/docs/smtp-integration,
 * docs.aws.amazon.com/ses/latest/dg/smtp-connect.html, postmarkapp.com/support/article/811,
 * documentation.mailgun.com (SMTP protocol), twilio.com/docs/sendgrid (Integrating with the SMTP API).
 * Microsoft 365 is left out: it is retiring passwords for SMTP.
 */
export const mailPresets: readonly MailPreset[] = [
  {
    name: 'Gmail',
    host: 'smtp.gmail.com',
    port: 465,
    security: 'tls',
    signIn:
      'User: your Gmail address. Password: an app password from your Google account, with 2-Step Verification on.',
  },
  {
    name: 'Brevo',
    host: 'smtp-relay.brevo.com',
    port: 465,
    security: 'tls',
    signIn: 'User: the SMTP login under “SMTP & API”. Password: an SMTP key, not an API key.',
  },
  {
    name: 'Amazon SES',
    host: 'email-smtp.us-east-1.amazonaws.com',
    port: 587,
    security: 'starttls',
    signIn: 'User and password: SMTP credentials from the SES console. Change us-east-1 to your region.',
  },
  {
    name: 'Postmark',
    host: 'smtp-broadcasts.postmarkapp.com',
    port: 587,
    security: 'starttls',
    signIn: 'User and password: access key and secret key of an SMTP token of your broadcast stream.',
  },
  {
    name: 'Mailgun',
    host: 'smtp.mailgun.org',
    port: 587,
    security: 'starttls',
    signIn: 'User and password: SMTP credentials of your domain. In the EU, the server is smtp.eu.mailgun.org.',
  },
  {
    name: 'SendGrid',
    host: 'smtp.sendgrid.net',
    port: 587,
    security: 'starttls',
    user: 'apikey',
    signIn: 'User: the word apikey. Password: an API key with Mail Send permission.',
  },
]

/** SES and Mailgun have a host per region. */
const hosts: Partial<Record<string, RegExp>> = {
  'Amazon SES': /^email-smtp\.[a-z0-9-]+\.amazonaws\.com$/,
  Mailgun: /^smtp\.(eu\.)?mailgun\.org$/,
  Postmark: /^smtp(-broadcasts)?\.postmarkapp\.com$/,
}

export const findPreset = (host: string): MailPreset | undefined => {
  const name = host.trim().toLowerCase()
  return mailPresets.find((preset) => preset.host === name || hosts[preset.name]?.test(name))
}
