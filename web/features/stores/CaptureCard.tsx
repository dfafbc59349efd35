import { Anchor, Card, Group, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconClock } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { limitText, WITHOUT_SCRIPT_TEXT } from '../../../shared/carts/capture-status.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useCaptureStatus } from './queries.ts'
import { buildCaptureSnippet } from './rules.ts'
import { Snippet } from './Snippet.tsx'

export function CaptureCard({ store }: { store: StoreView }) {
  const status = useCaptureStatus()
  const { snippet } = capabilities[store.platform]
  const limits = status.data ? limitText(status.data) : null
  return (
    <Card>
      <CaptureTitle store={store} />
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {WITHOUT_SCRIPT_TEXT}. With it, Recoup also detects carts abandoned before checkout, and{' '}
        {snippet === 'theme' ? 'emails typed into the theme’s forms' : 'the email entered at checkout'}. It sends only
        cart and contact details.
      </Text>
      <Snippet code={buildCaptureSnippet(location.origin, store.captureKey, snippet)} label="Copy script">
        <Anchor component={Link} to="/settings/capture-script" fz="sm" underline="always">
          How to install it
        </Anchor>
      </Snippet>
      {limits && (
        <Notice tone="warn" title="Contacts above the limit">
          {limits}
        </Notice>
      )}
      {store.captureSeenAt && (
        <Text fz="sm" c="dimmed" mt="md">
          Last report <TimeAgo at={store.captureSeenAt} />
        </Text>
      )}
    </Card>
  )
}

/** Has a badge that shows whether the script has ever reported. */
export function CaptureTitle({ store, title = 'Tracking script' }: { store: StoreView; title?: string }) {
  return (
    <Group justify="space-between" gap="xs">
      <Title order={2}>{title}</Title>
      {store.captureSeenAt ? (
        <StatusBadge tone="good" icon={IconCircleCheck} label="Seen" />
      ) : (
        <StatusBadge tone="quiet" icon={IconClock} label="Not seen yet" />
      )}
    </Group>
  )
}
