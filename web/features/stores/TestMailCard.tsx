import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import type { z } from 'zod'
import type { sendTestMail } from '../../../shared/delivery/sending.ts'
import { ConfirmFirst } from '../../core/access/ConfirmFirst.tsx'
import { useHasPermission, useMe } from '../../core/access/queries.ts'
import { CheckList } from '../../core/ui/CheckList.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useMailServer } from './mail-server-queries.ts'
import { useTestMail } from './sending-queries.ts'

/**
 * Sends a real test mail and shows the mail server's answer at each step. Results belong to the current mail server.
 */
export function TestMailCard() {
  const mail = useMailServer().data
  return (
    <ServerTest
      key={mail?.server?.version ?? 0}
      isMailbox={mail?.way === 'mailbox'}
      hasOwnServer={mail?.way === 'own'}
    />
  )
}

/** `isMailbox`: mail stays in the built-in mailbox. */
function ServerTest({ isMailbox, hasOwnServer }: { isMailbox: boolean; hasOwnServer: boolean }) {
  const me = useMe()
  const isAllowed = useHasPermission('flows:switch')
  const test = useTestMail()
  return (
    <Card component="section" aria-label="Test email">
      <Title order={2}>Test email</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {isMailbox ? 'Sends an email to the built-in mailbox' : `Sends a real email to ${me?.email ?? 'you'}`} and shows
        the mail server’s answer to each step.
      </Text>
      <Stack gap="md" align="stretch">
        {isAllowed && <ConfirmFirst what="send a test email" isFree={hasOwnServer} />}
        <Button
          variant="default"
          w="fit-content"
          leftSection={<IconSend size={16} aria-hidden />}
          loading={test.isPending}
          disabled={!isAllowed}
          onClick={() => test.mutate()}
        >
          {test.data ? 'Send another' : 'Send test email'}
        </Button>
        {!isAllowed && <Notice tone="info">Only the owner or an admin of the account can send a test email.</Notice>}
        {test.error && <Failed title="The test email was not sent" error={test.error} onRetry={() => test.mutate()} />}
        {test.data && !test.isPending && (
          <>
            <Notice tone={chooseTone(test.data)} isLive>
              {describeOutcome(test.data)}
            </Notice>
            <CheckList label="Steps of the test email" checks={test.data.steps} />
          </>
        )}
      </Stack>
    </Card>
  )
}

type Outcome = z.output<typeof sendTestMail.reply>

const chooseTone = ({ isAccepted, way }: Outcome) => (isAccepted ? (way === 'mailbox' ? 'info' : 'good') : 'bad')

function describeOutcome({ isAccepted, way, to }: Outcome): string {
  if (!isAccepted) return `The email to ${to} was not sent.`
  return way === 'mailbox'
    ? `The email is in the built-in mailbox. It was not sent to ${to}, because email stays on this server.`
    : `The email was sent to ${to}.`
}
