import { Card, Text, Title } from '@mantine/core'
import { ThemePicker } from '../theme/ThemePicker.tsx'

export function AppearanceTab() {
  return (
    <Card>
      <Title order={2}>Appearance</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Applies at once and is kept in this browser.
      </Text>
      <ThemePicker />
    </Card>
  )
}
