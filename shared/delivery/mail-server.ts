import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'

// The account's own mail server, and where the account's mail is sent.

export const mailSecurities = ['starttls', 'tls', 'none'] as const
export type MailSecurity = (typeof mailSecurities)[number]

export const mailSecurityText: Readonly<Record<MailSecurity, string>> = {
  starttls: 'STARTTLS',
  tls: 'TLS',
  none: 'None (same machine only)',
}

/** The usual port of each security mode. */
export const defaultPort: Readonly<Record<MailSecurity, number>> = { starttls: 587, tls: 465, none: 25 }

/** Ports of mail servers. If private addresses are allowed, any port is. */
export const mailPorts = [25, 465, 587, 588, 2465, 2525, 2587] as const

/** This machine. Only here may a password be sent unencrypted. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

export interface MailServerFields {
  host: string
  port: number
  security: MailSecurity
  user: string
  password: string
  fromAddress: string
}

/** Error messages by field, for form and server. */
export function findMailServerProblems(entered: MailServerFields, anyPort: boolean) {
  const { host, port, security, user } = entered
  const problems: { [Name in keyof MailServerFields]?: string } = {}
  if (!/^([a-z0-9_-]{1,63}\.)*[a-z0-9-]{1,63}$/.test(host) && host !== '::1')
    problems.host = 'A name such as smtp.example.com'
  if (!Number.isInteger(port) || port < 1 || port > 65_535) problems.port = 'A port, such as 587'
  else if (!anyPort && !mailPorts.some((each) => each === port)) {
    problems.port = `One of the ports of mail servers: ${mailPorts.join(', ')}`
  }
  if (security === 'none' && !isLoopbackHost(host)) {
    problems.security = 'Without encryption, only a mail server on this machine can be used'
  }
  if (user.length > 254 || /[\r\n\0]/.test(user)) problems.user = 'At most 254 characters, on one line'
  else if (user === '' && entered.password !== '') problems.user = 'Enter the user name, or delete the password'
  const fromProblem = findFromAddressProblem(entered)
  if (fromProblem) problems.fromAddress = fromProblem
  return problems
}

/** Without a From address, mail uses the user name, which must then be an address. */
function findFromAddressProblem({ user, fromAddress }: MailServerFields): string | null {
  if (fromAddress !== '') return isMailAddress(fromAddress) ? null : 'An email address'
  if (isMailAddress(user)) return null
  if (user === '') return 'Enter the address your emails come from'
  return 'The user name is not an email address, so enter the address your emails come from'
}

/** A plain address, as used in From. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\.]+(\.[^\s@<>"(),:;[\]\\.]+)+$/.test(text)

export const MailServerView = z.object({
  /**
   * own: the account's mail server · server: that of this installation · mailbox: the built-in one · none: nothing is
   * sent.
   */
  way: z.enum(['own', 'server', 'mailbox', 'none']),
  /** The address in From. */
  from: z.string(),
  /** Page of the built-in mailbox, if mail goes there. */
  mailboxUrl: z.string().nullable(),
  /** When a mail server accepted a test mail on the current route. The built-in mailbox does not count. */
  acceptedAt: z.string().nullable(),
  server: z
    .object({
      host: z.string(),
      port: z.number().int(),
      security: z.enum(mailSecurities),
      user: z.string(),
      fromAddress: z.string().nullable(),
      /** The server's response when the settings were checked. */
      checkAnswer: z.string(),
      checkedAt: z.string(),
      /** Why the last mail was not accepted; null: it works. */
      problem: z.string().nullable(),
      failingSince: z.string().nullable(),
      triesAt: z.string().nullable(),
      version: z.number().int(),
    })
    .nullable(),
  /** Any port is allowed, not only those of mail servers. */
  anyPort: z.boolean(),
  /** Read-only: the demo's server. */
  isFixed: z.boolean(),
})
export type MailServerView = z.infer<typeof MailServerView>

export const readMailServer = endpoint({
  method: 'GET',
  path: '/api/sending/mail-server',
  permission: 'stores:read',
  scope: 'account',
  summary: 'How the account’s email is sent, and its own mail server',
  reply: MailServerView,
})

export const saveMailServer = endpoint({
  method: 'PUT',
  path: '/api/sending/mail-server',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Check the sign-in to a mail server, then save it',
  body: z.object({
    host: z.string().trim().toLowerCase().max(253),
    port: z.number().int(),
    security: z.enum(mailSecurities),
    /** Empty: no authentication. */
    user: z.string().trim().max(254),
    /** Empty: keeps the stored one. */
    password: z.string().max(500),
    /** Empty: the user name, which must then be an address. */
    fromAddress: z.string().trim().max(254),
    version: z.number().int().min(0),
  }),
  reply: MailServerView,
})

export const removeMailServer = endpoint({
  method: 'DELETE',
  path: '/api/sending/mail-server',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Delete the mail server and its password',
  reply: MailServerView,
})

export const mailServerTexts = {
  demo: 'The demo’s emails are always sent to the built-in mailbox.',
  missing: 'No mail server is set up, so no email can be sent. Enter one under Settings, Sending, Mail server.',
  noFrom: 'The From address is missing, so no email is sent. Enter it under Settings, Sending, Mail server.',
} as const
