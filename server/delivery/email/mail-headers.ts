import { domainToASCII } from 'node:url'
import type { Config } from '../../core/config/config.ts'
import type { Deps } from '../../deps.ts'
import type { OutgoingEmail } from '../../messages/channels/channel.ts'
import { openBounceAddresses } from './bounce-addresses.ts'
import { signerOf } from './dkim.ts'
import { returnPathOf } from './return-path.ts'
import { openSigningKeys } from './sender-keys.ts'
import type { MailHeaders } from './smtp-message.ts'

// Headers for every mail of this server: its own return address, a DKIM signature and the mark by which the mail
// provider's reports identify it.

type MailHeadersDeps = Pick<Deps, 'db' | 'secrets' | 'now' | 'config'>

export function openMailHeaders(deps: MailHeadersDeps): (message: OutgoingEmail) => Promise<MailHeaders> {
  const keyOf = openSigningKeys(deps)
  const mailboxOf = openBounceAddresses(deps)
  const { bounceAddress, mailEvents } = deps.config
  return async ({ from, messageId, accountId }) => {
    const mailbox = accountId ? await mailboxOf(accountId) : null
    const key = await keyOf(domainOf(from.address))
    return {
      returnPath: mailbox ?? (bounceAddress ? returnPathOf(deps.secrets, bounceAddress, messageId) : null),
      headers: mailEvents ? providerMark(mailEvents.provider, messageId) : {},
      sign: key && signerOf(key),
    }
  }
}

export const domainOf = (address: string): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1)).toLowerCase()

/**
 * Headers for two providers that report with ids of their own, so that they report ours too. The others keep the
 * Message-ID.
 */
function providerMark(
  provider: NonNullable<Config['mailEvents']>['provider'],
  messageId: string,
): Record<string, string> {
  if (provider === 'postmark') return { 'X-PM-Metadata-recoup': messageId }
  if (provider === 'ses') return { 'X-SES-MESSAGE-TAGS': `recoup=${messageId}` }
  return {}
}
