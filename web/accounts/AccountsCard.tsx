import { Button, Card, Text, Title } from '@mantine/core'
import { announce } from '../ui/announce.ts'
import { titleOf } from './rules.ts'
import { useAccounts, useSwitchAccount } from './team-queries.ts'

/** For who works in several accounts; everybody else has no use for it. */
export function AccountsCard() {
  const accounts = useAccounts().data?.accounts ?? []
  const change = useSwitchAccount()
  if (accounts.length < 2) return null
  return (
    <Card>
      <Title order={2}>Your accounts</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="sm">
        You are a member of {accounts.length} accounts. Signing in leads to the one you used last.
      </Text>
      <ul className="people">
        {accounts.map(({ id, name, role, isCurrent }) => (
          <li key={id} className="person">
            <div className="person-words">
              <strong>{name}</strong>
              <Text fz="sm" c="dimmed">
                {titleOf(role)}
              </Text>
            </div>
            {isCurrent ? (
              <span className="mark tone-good">Working here</span>
            ) : (
              <Button
                size="xs"
                variant="default"
                loading={change.isPending && change.variables === id}
                aria-label={`Switch to ${name}`}
                onClick={() =>
                  change.mutate(id, {
                    onSuccess: ({ message }) => announce(message),
                    onError: (error) => announce(error.message, 'bad'),
                  })
                }
              >
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
