import { Card, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInbox, IconMinus } from '@tabler/icons-react'
import { type MailServerView, mailServerTexts } from '../../shared/mail-server.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { TimeAgo, TimeUntil } from '../ui/Time.tsx'
import { MailServerForm } from './MailServerForm.tsx'
import { useMailServer } from './mail-server-queries.ts'
import { PermittedChannelForm } from './PermittedChannelForm.tsx'

/** How the account's mail is sent, and its own mail server. */
export function MailServerCard() {
  const view = useMailServer()
  return (
    <Card component="section" aria-label="Mail server">
      <div style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 8 }}>
        <Title order={2}>Mail server</Title>
        {view.data && <StatusBadge {...badgeOf(view.data)} />}
      </div>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Emails are sent through a mail server. Enter your email provider’s server; Recoup connects and signs in before
        saving it.
      </Text>
      {view.isPending && <LoadingList count={4} />}
      {view.error && !view.data && (
        <Failed title="The mail server could not be loaded" error={view.error} onRetry={() => view.refetch()} />
      )}
      {view.data && <Content key={view.data.server?.version ?? 0} view={view.data} />}
    </Card>
  )
}

function badgeOf({ way, server }: MailServerView) {
  if (way === 'mailbox') return { tone: 'info', icon: IconInbox, label: 'Email stays on this server' } as const
  if (way === 'none') return { tone: 'warn', icon: IconAlertTriangle, label: 'No mail server' } as const
  if (server?.problem) return { tone: 'bad', icon: IconAlertTriangle, label: 'Not accepting email' } as const
  return way === 'own'
    ? ({ tone: 'good', icon: IconCircleCheck, label: 'Set up' } as const)
    : ({ tone: 'quiet', icon: IconMinus, label: 'Shared server' } as const)
}

const Content = ({ view }: { view: MailServerView }) => (
  <Stack gap="md">
    <ServerState view={view} />
    <PermittedChannelForm fixed={view.isFixed && mailServerTexts.demo}>
      <MailServerForm view={view} />
    </PermittedChannelForm>
  </Stack>
)

/** Current state. */
function ServerState({ view: { way, server, from, acceptedAt, mailboxUrl, isFixed } }: { view: MailServerView }) {
  if (isFixed) return null
  if (way === 'none') {
    return (
      <Notice tone="warn" title="No email is sent">
        No mail server is set up. Messages wait, and flows with emails cannot be switched on.
      </Notice>
    )
  }
  if (way === 'mailbox') {
    return (
      <Notice tone="info" title="Email stays on this server">
        Until you enter a mail server, emails go to the built-in mailbox, not to your shoppers.{' '}
        {mailboxUrl && (
          <a href={mailboxUrl} target="_blank" rel="noreferrer">
            Open the mailbox
          </a>
        )}
      </Notice>
    )
  }
  if (server?.problem) return <ServerProblem server={server} />
  return (
    <Notice tone={acceptedAt ? 'good' : 'info'}>
      {way === 'own'
        ? `Emails are sent through ${server?.host}`
        : 'Emails are sent through this installation’s mail server'}
      , from {from}.{' '}
      {acceptedAt ? (
        <>
          It accepted a test email <TimeAgo at={acceptedAt} />.
        </>
      ) : (
        'No test email has been accepted yet. Send one below.'
      )}
    </Notice>
  )
}

function ServerProblem({ server }: { server: NonNullable<MailServerView['server']> }) {
  return (
    <Notice tone="bad" title={`${server.host} is not accepting email`}>
      {server.failingSince && (
        <>
          Since <TimeAgo at={server.failingSince} />.{' '}
        </>
      )}
      It is retried {server.triesAt ? <TimeUntil at={server.triesAt} /> : 'with the next message'}; your messages wait
      up to 24 hours. Its answer: {server.problem}
    </Notice>
  )
}
