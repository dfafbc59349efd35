import './setting.css'
import { Card, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  title: string
  about: ReactNode
  children: ReactNode
}

/** A setting with its explanation on the left and its fields on the right. */
export const SettingCard = ({ title, about, children }: Props) => (
  <Card component="section" aria-label={title} className="setting">
    <div>
      <Title order={2}>{title}</Title>
      <Text fz="sm" c="dimmed" mt={4}>
        {about}
      </Text>
    </div>
    <Stack gap="md">{children}</Stack>
  </Card>
)

/** A setting of little weight: title and text without a frame, and its action beside them. */
export const SettingLine = ({ title, about, children }: Omit<Props, 'children'> & { children?: ReactNode }) => (
  <Card component="section" aria-label={title} className="setting-line">
    <div>
      <Title order={2}>{title}</Title>
      <Text fz="sm" c="dimmed" mt={4} maw={640}>
        {about}
      </Text>
    </div>
    {children}
  </Card>
)
