import { Button, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

interface Props {
  /** What could not be done. */
  title: string
  /** What happened, in its own words. */
  error: Error
  onRetry?: () => void
  children?: ReactNode
}

export function Failed({ title, error, onRetry, children }: Props) {
  return (
    <Notice tone="bad" title={title} isLive>
      <Stack gap="sm" align="flex-start" mt={2}>
        <span>{error.message}</span>
        {children}
        {onRetry && (
          <Button size="xs" variant="default" leftSection={<IconRefresh size={14} aria-hidden />} onClick={onRetry}>
            Retry
          </Button>
        )}
      </Stack>
    </Notice>
  )
}
