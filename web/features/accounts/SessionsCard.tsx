import { Button, Card, Group, Text, Title } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../shared/access/auth.ts'
import type { AccountSession } from '../../../shared/workspace/account.ts'
import { endSession, endSessions } from '../../../shared/workspace/account.ts'
import { call } from '../../core/api/api.ts'
import { endSession as forgetSession } from '../../core/session/session.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { DateTime, TimeAgo } from '../../core/ui/Time.tsx'
import { sessionsQuery } from './account-queries.ts'

/** Lists the user's sessions and signs them out. */
export function SessionsCard({ user }: { user: User }) {
  const sessions = useSessions()
  const list = sessions.data?.sessions ?? []
  const hasAccounts = new Set(list.map((each) => each.accountName)).size > 1
  return (
    <Card>
      <Title order={2}>Sessions</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="sm">
        Where you are signed in. A session ends automatically after 30 days without use.
      </Text>
      {sessions.isPending ? (
        <LoadingList count={2} withPicture />
      ) : sessions.data ? (
        <ul className="members">
          {list.map((each) => (
            <SessionRow key={each.id} session={each} withAccount={hasAccounts} />
          ))}
        </ul>
      ) : (
        <Failed title="Your sessions could not be loaded" error={sessions.error} onRetry={() => sessions.refetch()} />
      )}
      {!user.isDemo && list.length > 0 && <SignOutEverywhere others={list.length - 1} />}
    </Card>
  )
}

function SessionRow({ session, withAccount }: { session: AccountSession; withAccount: boolean }) {
  const end = useEndSession()
  const isPhone = /iPhone|iPad|Android/.test(session.device ?? '')
  const Sign = isPhone ? IconDeviceMobile : IconDeviceDesktop
  const device = session.device ?? 'Unknown device'
  const signOut = () =>
    end.mutate(session.id, {
      onSuccess: () => announce(`${device} is signed out`),
      onError: (error) => announce(error.message, 'bad'),
    })
  return (
    <li className="person">
      <span className="person-sign">
        <Sign size={20} stroke={1.6} aria-hidden />
      </span>
      <div className="person-words">
        <Group gap="xs">
          <strong>{device}</strong>
          {session.isCurrent && <span className="mark tone-good">This session</span>}
        </Group>
        <Text fz="sm" c="dimmed">
          {session.isCurrent ? (
            'In use now'
          ) : (
            <>
              Last seen <TimeAgo at={session.lastSeenAt} />
            </>
          )}
          , signed in <DateTime at={session.startedAt} />
          {withAccount && `, in ${session.accountName}`}
        </Text>
      </div>
      {!session.isCurrent && (
        <Button size="xs" variant="default" loading={end.isPending} onClick={signOut} aria-label={`Sign out ${device}`}>
          Sign out
        </Button>
      )}
    </li>
  )
}

function SignOutEverywhere({ others }: { others: number }) {
  const [asking, setAsking] = useState<'others' | 'all' | null>(null)
  const end = useEndSessions()
  const start = () =>
    end.mutate(asking!, {
      onSuccess: ({ ended }) => {
        if (asking === 'others') announce(`${formatCounted(ended, 'other session')} signed out`)
        setAsking(null)
      },
    })
  return (
    <>
      <Group gap="sm" mt="md">
        {others > 0 && (
          <Button variant="default" onClick={() => setAsking('others')}>
            Sign out all others
          </Button>
        )}
        <Button variant="default" onClick={() => setAsking('all')}>
          Sign out everywhere
        </Button>
      </Group>
      <Confirm
        opened={asking !== null}
        title={asking === 'others' ? 'Sign out all other sessions?' : 'Sign out everywhere?'}
        confirmLabel={asking === 'others' ? 'Sign out all others' : 'Sign out everywhere'}
        isDangerous
        isBusy={end.isPending}
        problem={end.error?.message}
        onConfirm={start}
        onClose={() => setAsking(null)}
      >
        {asking === 'others'
          ? `${formatCounted(others, 'other session')} will have to sign in again. This one stays.`
          : 'Every session ends, this one too. You will have to sign in again here.'}
      </Confirm>
    </>
  )
}

const useSessions = () => useQuery(sessionsQuery)

function useEndSession() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (sessionId: string) => call(endSession, { params: { sessionId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
}

function useEndSessions() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (scope: 'others' | 'all') => call(endSessions, { body: { scope } }),
    onSuccess: (_, scope) => {
      if (scope === 'others') return queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      forgetSession('left')
      return queries.clear()
    },
  })
}
