import './style/console.css'
import { createRoot } from 'react-dom/client'
import { start } from './shell/start.tsx'

const root = document.getElementById('root')
if (root) void start(createRoot(root))
