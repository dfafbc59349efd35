import { Tabs, Text, Title } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'react-router'
import { Accounts } from './Accounts.tsx'
import { Actions } from './Actions.tsx'
import { Health } from './Health.tsx'
import { OneAccount } from './OneAccount.tsx'
import { OperatorFrame } from './OperatorFrame.tsx'

const tabs = [
  { value: 'accounts', label: 'Accounts', Panel: Accounts },
  { value: 'health', label: 'Health', Panel: Health },
  { value: 'actions', label: 'Actions', Panel: Actions },
]

// Both in one file: otherwise the bundler merges their shared code into a chunk that every screen loads.

/** For operators of the server (decision 90). All others get the 404 page (`Guard`). */
export function OperatorPage() {
  const [search, setSearch] = useSearchParams()
  const chosen = tabs.find(({ value }) => value === search.get('tab')) ?? tabs[0]!
  return (
    <OperatorFrame title="Operator">
      <Title order={1} mb="md">
        Operator
      </Title>
      <Tabs
        value={chosen.value}
        onChange={(value) => setSearch(value === 'accounts' || !value ? {} : { tab: value })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, Panel }) => (
          <Tabs.Panel key={value} value={value}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </OperatorFrame>
  )
}

export function OperatorAccountPage() {
  const { accountId = '' } = useParams()
  return (
    <OperatorFrame title="Operator">
      <Text mb="md">
        <Link to="/operator">All accounts</Link>
      </Text>
      <OneAccount accountId={accountId} />
    </OperatorFrame>
  )
}
