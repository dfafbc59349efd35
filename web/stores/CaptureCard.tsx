import { Button, Card, CopyButton, Group, Text, Title } from '@mantine/core'
import { IconCheck, IconCircleCheck, IconClock, IconCopy } from '@tabler/icons-react'
import type { StoreView } from '../../shared/stores.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { captureSnippet } from './rules.ts'

export function CaptureCard({ store }: { store: StoreView }) {
  const snippet = captureSnippet(location.origin, store.captureKey)
  return (
    <Card>
      <Group justify="space-between" gap="xs">
        <Title order={2}>Capture script</Title>
        {store.captureSeenAt ? (
          <StatusBadge tone="good" icon={IconCircleCheck} label="Seen" />
        ) : (
          <StatusBadge tone="quiet" icon={IconClock} label="Not seen yet" />
        )}
      </Group>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        WooCommerce tells of a cart only once “Place order” was pressed. With this script on your shop’s pages Recoup
        also sees carts that were left before, and the email typed at checkout. It weighs a few kilobytes, loads after
        your page, and sends nothing but cart and contact.
      </Text>
      <pre className="snippet">{snippet}</pre>
      <Group mt="md" gap="md">
        <CopyButton value={snippet}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="sm"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              <span aria-live="polite">{copied ? 'Copied' : 'Copy script'}</span>
            </Button>
          )}
        </CopyButton>
        <Text fz="sm" c="dimmed">
          {store.captureSeenAt ? (
            <>
              Last heard from <TimeAgo at={store.captureSeenAt} />
            </>
          ) : (
            'Paste it before </head> of your theme, then open your shop once.'
          )}
        </Text>
      </Group>
    </Card>
  )
}
