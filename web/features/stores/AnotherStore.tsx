import { Button, Card, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { useCanConnectStores } from '../../core/access/queries.ts'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useUsage } from '../billing/queries.ts'

interface Props {
  /** A form was already submitted, so its answer is shown beside it. */
  isSent: boolean
  /** The forms. */
  children: ReactNode
}

/** With connected stores: shows whether the plan allows another one before the form is filled in. */
export function AnotherStore({ isSent, children }: Props) {
  const usage = useUsage()
  const mayConnect = useCanConnectStores()
  if (usage.isPending) return <LoadingCards count={1} rows={4} />
  // If unknown, the server reports it on submit.
  const stores = usage.data?.stores
  return stores?.problem && mayConnect && !isSent ? (
    <NoRoom problem={stores.problem} canAdd={stores.canAdd} />
  ) : (
    children
  )
}

function NoRoom({ problem, canAdd }: { problem: string; canAdd: boolean }) {
  return (
    <Card padding="xl">
      <Stack gap="lg">
        <Title order={1}>Connect another store</Title>
        <Notice tone="warn" title="Your plan’s store limit is reached">
          {problem}
        </Notice>
        <Group gap="sm">
          {canAdd && (
            <Button component={Link} to="/billing?change=same&stores=more">
              Add an extra store
            </Button>
          )}
          <Button component={Link} to="/pricing" variant={canAdd ? 'default' : 'filled'}>
            See plans
          </Button>
          <Button component={Link} to={useReturnPath()} variant="default">
            Back
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}

/** The screen whose link led here. */
export function useReturnPath(): string {
  const state: unknown = useLocation().state
  const from = state && typeof state === 'object' && 'from' in state ? state.from : null
  return typeof from === 'string' && /^\/(?!\/)/.test(from) ? from : '/dashboard'
}
