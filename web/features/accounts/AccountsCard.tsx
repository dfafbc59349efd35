import { Button, Card, Text, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { listAccounts, switchAccount } from '../../../shared/workspace/team.ts'
import { call } from '../../core/api/api.ts'
import { deletions } from '../../core/api/deletions.ts'
import { forgetConnection } from '../../core/session/session.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { hasUnsaved } from '../../core/ui/unsaved.ts'
import { formatRole } from './rules.ts'

/** Shown only to users who work in several accounts. */
export function AccountsCard() {
  const accounts = useAccounts().data?.accounts ?? []
  const change = useSwitchAccount()
  const [nextAccount, setNextAccount] = useState<string | null>(null)
  const enter = (id: string) => {
    setNextAccount(null)
    change.mutate(id, {
      onSuccess: ({ message }) => announce(message),
      onError: (error) => announce(error.message, 'bad'),
    })
  }
  if (accounts.length < 2) return null
  return (
    <Card>
      <Title order={2}>Your accounts</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="sm">
        You are a member of {accounts.length} accounts. You sign in to the one you used last.
      </Text>
      <ul className="members">
        {accounts.map(({ id, name, role, isCurrent }) => (
          <li key={id} className="person">
            <div className="person-words">
              <strong>{name}</strong>
              <Text fz="sm" c="dimmed">
                {formatRole(role)}
              </Text>
            </div>
            {isCurrent ? (
              <span className="mark tone-good">Current</span>
            ) : (
              <Button
                size="xs"
                variant="default"
                loading={change.isPending && change.variables === id}
                aria-label={`Switch to ${name}`}
                onClick={() => (hasUnsaved() ? setNextAccount(id) : enter(id))}
              >
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        opened={nextAccount !== null}
        title="Switch without saving?"
        confirmLabel="Switch account"
        isDangerous
        onConfirm={() => nextAccount && enter(nextAccount)}
        onClose={() => setNextAccount(null)}
      >
        Your changes on this page have not been saved.
      </Confirm>
    </Card>
  )
}

const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => call(listAccounts, { signal }),
})

const useAccounts = () => useQuery(accountsQuery)

/** All cached data belongs to the previous account: clear and refetch. */
function useSwitchAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (accountId: string) => {
      await deletions.finishAll()
      return call(switchAccount, { body: { accountId } })
    },
    onSuccess: () => {
      forgetConnection()
      return queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'instance' })
    },
  })
}
