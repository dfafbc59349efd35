import { Button, Card, Title } from '@mantine/core'
import { useState } from 'react'
import { useMe } from '../access/queries.ts'
import { LogoutDialog } from '../accounts/LogoutDialog.tsx'
import { Facts } from '../ui/Facts.tsx'

export function AccountTab() {
  const user = useMe()
  const [isAsking, setAsking] = useState(false)
  return (
    <Card>
      <Title order={2} mb="sm">
        Account
      </Title>
      {user && (
        <Facts
          entries={[
            ['Name', user.name],
            ['Email', user.email],
            ['Account', user.accountName],
            ['Role', user.role],
          ]}
        />
      )}
      <Button variant="default" mt="lg" w="fit-content" onClick={() => setAsking(true)}>
        Log Out
      </Button>
      <LogoutDialog opened={isAsking} onClose={() => setAsking(false)} />
    </Card>
  )
}
