import { Anchor, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { useEndedStore, useHasPermission } from '../access/queries.ts'
import { Notice } from '../ui/Notice.tsx'
import { formatDateTime } from '../ui/times.ts'
import { describeEnded, formatEndedTitle } from './ended.ts'

/** Explains why the account has no store any more. */
export function EndedNotice() {
  const ended = useEndedStore()
  const mayRead = useHasPermission('carts:read')
  if (!ended) return null
  return (
    <Notice tone={ended.by === 'recoup' ? 'info' : 'warn'} title={formatEndedTitle(ended)}>
      <Stack gap={6} align="flex-start">
        {describeEnded(ended, formatDateTime)}
        {mayRead && (
          <Anchor component={Link} to="/notifications" fz="sm">
            Open its notifications
          </Anchor>
        )}
      </Stack>
    </Notice>
  )
}
