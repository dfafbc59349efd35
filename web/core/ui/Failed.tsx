import { Button, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Notice } from './Notice.tsx'

interface Props {
  /** What failed. */
  title: string
  /** What happened and what to do; by default the error's message. */
  error: Error
  /** Retry; the button shows progress until the returned promise settles. */
  onRetry?: () => unknown
  retryLabel?: string
  children?: ReactNode
}

/** Error state of content that failed to load. */
export function Failed({ title, error, onRetry, retryLabel = 'Retry', children }: Props) {
  const [isRetrying, setRetrying] = useState(false)
  const retry = async () => {
    setRetrying(true)
    try {
      await onRetry?.()
    } finally {
      setRetrying(false)
    }
  }
  return (
    <Notice tone="bad" title={title} isLive>
      <Stack gap="sm" align="flex-start" mt={2}>
        <span>{error.message}</span>
        {children}
        {onRetry && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={isRetrying}
            onClick={retry}
          >
            {retryLabel}
          </Button>
        )}
      </Stack>
    </Notice>
  )
}
