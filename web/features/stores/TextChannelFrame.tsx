import { Button, Card, CopyButton, Group, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconCircleCheck, IconCopy, IconDeviceMobile, IconMinus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import * as api from '../../../shared/messages/text-channels.ts'
import { type TextChannelView, textChannelTexts } from '../../../shared/messages/text-channels.ts'
import { call } from '../../core/api/api.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { PermittedChannelForm } from './PermittedChannelForm.tsx'
import { RemoveButton } from './RemoveButton.tsx'
import { useChannelChange } from './text-queries.ts'

const names = { sms: 'SMS', whatsapp: 'WhatsApp' }
const providers = { twilio: 'Twilio', meta: 'Meta' }

const badges = {
  ready: { tone: 'good', icon: IconCircleCheck, label: 'Ready' },
  operator: { tone: 'good', icon: IconCircleCheck, label: 'By this server' },
  sandbox: { tone: 'info', icon: IconDeviceMobile, label: 'Phone sandbox' },
  missing: { tone: 'quiet', icon: IconMinus, label: 'Not set up' },
} as const

interface Props {
  view: TextChannelView
  about: string
  /** The form, for members with permission. */
  children: ReactNode
}

/** Shared by SMS and WhatsApp: state, webhook addresses for the provider, and permission. */
export function TextChannelFrame({ view, about, children }: Props) {
  const name = names[view.channel]
  return (
    <Card component="section" aria-label={name}>
      <Group justify="space-between" gap="xs">
        <Title order={2}>{name}</Title>
        <StatusBadge {...badges[view.state]} />
      </Group>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {about}
      </Text>
      <Stack gap="md">
        <ConnectionState view={view} />
        {view.state === 'ready' && <Hooks view={view} />}
        <PermittedChannelForm fixed={view.isFixed && listFixed(view)} what="these">
          {children}
        </PermittedChannelForm>
      </Stack>
    </Card>
  )
}

/** The demo's channel. */
const listFixed = ({ phoneUrl }: TextChannelView): [string, ReactNode][] => [
  [
    'Sent to',
    phoneUrl ? (
      <a key="phones" href={phoneUrl} target="_blank" rel="noreferrer">
        Demo phones
      </a>
    ) : (
      'Demo phones'
    ),
  ],
]

function ConnectionState({ view }: { view: TextChannelView }) {
  if (view.isFixed) return null
  if (view.state === 'missing') return <Notice tone="warn">{textChannelTexts.notConfigured}</Notice>
  if (view.state === 'sandbox') {
    return (
      <Notice tone="info">
        Messages go to the built-in phones only.{' '}
        {view.phoneUrl && (
          <a href={view.phoneUrl} target="_blank" rel="noreferrer">
            Open the phones
          </a>
        )}
      </Notice>
    )
  }
  const senders = view.senders.map(({ country, sender }) => `${sender}${country ? ` (${country})` : ''}`)
  if (view.state === 'operator') return <ByOperator senders={senders} />
  return (
    <Facts
      entries={[
        ['Provider', view.provider ? providers[view.provider] : ''],
        [
          'Its answer',
          <>
            {view.checkAnswer}, <TimeAgo at={view.checkedAt ?? ''} />
          </>,
        ],
        ...(senders.length > 0 ? ([['Senders', senders.join(', ')]] as [string, string][]) : []),
      ]}
    />
  )
}

/** No set-up needed. Owners with a Twilio account may enter it below; it is used from then on. */
function ByOperator({ senders }: { senders: string[] }) {
  return (
    <Notice tone="info">
      Messages are sent through this server’s own provider, from {new Intl.ListFormat('en').format(senders)}. Your plan
      includes some each month: see <Link to="/billing">Billing</Link>. To use your own Twilio account, enter it here.
    </Notice>
  )
}

/** To paste into the provider's settings. */
function Hooks({ view }: { view: TextChannelView }) {
  if (view.hooks.length === 0) return null
  const where =
    view.provider === 'meta' ? 'Meta’s app settings under WhatsApp, Configuration' : 'the number’s settings in Twilio'
  return (
    <div>
      {!view.isReachable && (
        <Notice tone="warn">
          {providers[view.provider ?? 'twilio']} cannot reach this server, so delivery reports and replies such as STOP
          do not arrive. The server’s administrator must set PUBLIC_URL to a public address.
        </Notice>
      )}
      <Text fz="sm" mt={view.isReachable ? 0 : 'sm'}>
        Enter in {where}
        {view.provider === 'meta' && ', and subscribe to “messages” and “user_preferences”'}:
      </Text>
      <dl className="check-record hook-list">
        {view.hooks.map(({ label, value }) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              {value}{' '}
              <CopyButton value={value}>
                {({ copied, copy }) => (
                  <Button
                    variant="default"
                    size="compact-xs"
                    onClick={copy}
                    aria-label={copied ? `${label}: copied` : `Copy ${label}`}
                    leftSection={copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
                  >
                    <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
                  </Button>
                )}
              </CopyButton>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Confirms the removal with its effects. */
export function RemoveChannel({ view }: { view: TextChannelView }) {
  const remove = useRemoveChannel(view.channel)
  const name = names[view.channel]
  if (view.state !== 'ready') return null
  return (
    <RemoveButton title={`Remove ${name}?`} removed={`${name} removed`} remove={remove}>
      The credentials are deleted, and nothing more is sent by {name}. The history of sent messages stays.
    </RemoveButton>
  )
}

const useRemoveChannel = (channel: 'sms' | 'whatsapp') =>
  useChannelChange((_: undefined) => call(channel === 'sms' ? api.removeSmsChannel : api.removeWhatsappChannel))
