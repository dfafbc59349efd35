import '../consent/ledger.css'
import { Card, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CustomerPage as Customer } from '../../shared/customers.ts'
import { statusText } from '../../shared/ledger.ts'
import { suppressionTexts } from '../../shared/suppressions.ts'
import { LedgerEntries } from '../consent/LedgerEntries.tsx'
import { channelText } from '../consent/ledger-text.ts'
import { Facts } from '../ui/Facts.tsx'
import { DateTime, TimeAgo } from '../ui/Time.tsx'
import { BLANK, findCurrentConsents, formatName } from './rules.ts'

// The customer's data, consents and reachability.

export function ContactCard({ customer }: { customer: Customer }) {
  const { emails, phones, unconfirmed } = customer
  return (
    <Card>
      <Title order={2} mb="md">
        Contact
      </Title>
      <Facts
        entries={[
          ['Name', formatName(customer)],
          ...listed(emails.length > 1 ? 'Emails' : 'Email', emails),
          ...listed(phones.length > 1 ? 'Phones' : 'Phone', phones),
          ...(unconfirmed.length > 0 ? listed('Not confirmed', unconfirmed) : []),
          ['Company', customer.company ?? BLANK],
          ...(customer.country ? [['Country', customer.country] as [string, ReactNode]] : []),
          ['Registered', customer.is_registered ? 'Yes' : 'No'],
          ['Last Login', customer.last_login ? <TimeAgo key="login" at={customer.last_login} /> : BLANK],
          ['Customer since', <DateTime key="since" at={customer.since} />],
        ]}
      />
    </Card>
  )
}

const listed = (label: string, values: readonly string[]): [string, ReactNode][] => [
  [
    label,
    values.length > 1 ? (
      <Stack gap={2} key={label}>
        {values.map((value) => (
          <span key={value}>{value}</span>
        ))}
      </Stack>
    ) : (
      (values[0] ?? BLANK)
    ),
  ],
]

/** Current consent per channel, then the evidence. */
export function ConsentCard({ entries }: { entries: Customer['consents'] }) {
  const standing = findCurrentConsents(entries)
  return (
    <Card>
      <Title order={2} mb={entries.length > 0 ? 'md' : 4}>
        Consent
      </Title>
      {entries.length === 0 ? (
        <Text fz="sm" c="dimmed">
          Nothing is recorded: they neither opted in nor out.
        </Text>
      ) : (
        <>
          <ul className="standing">
            {standing.map(({ id, channel, status, who }) => (
              <li key={id}>
                <strong>{channelText[channel]}</strong>: {statusText[status]}
                {who && <Text span inherit c="dimmed">{` · ${who}`}</Text>}
              </li>
            ))}
          </ul>
          <Title order={3} fz="sm" mt="md" mb="xs">
            Evidence
          </Title>
          <LedgerEntries entries={entries} isStale={false} />
        </>
      )}
    </Card>
  )
}

export function SuppressionCard({ suppressed }: { suppressed: Customer['suppressed'] }) {
  return (
    <Card>
      <Title order={2} mb={4}>
        Suppression list
      </Title>
      {suppressed.length === 0 ? (
        <Text fz="sm" c="dimmed">
          Not on it.
        </Text>
      ) : (
        <ul className="standing">
          {suppressed.map(({ address, channel, reason, since }) => (
            <li key={`${address}:${channel}:${reason}`}>
              <strong>{suppressionTexts.channels[channel]}</strong>: {suppressionTexts.reasons[reason]}
              <Text span inherit c="dimmed">
                {address && ` · ${address}`} · <DateTime at={since} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
