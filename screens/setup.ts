import './app.ts'

// What a worker opens before its first file is not counted as left behind (`test/each-file.ts`).
