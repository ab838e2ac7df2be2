/** Whether a text may have a command with a secret, for `dd hook event`: nothing is compiled or made for a text that has none. */
import { blanks } from "../system/shellWords.ts"
import { argumentRules, encoders, hashes, interpreters, logins, readers, writers } from "./commandTable.ts"

/** False only if `commandSecrets` finds nothing, except by an option or an assignment with the name of a secret. */
export const mayHoldArgument = (written: string): boolean => {
  const text = written.replaceAll(separators, " ").replaceAll(/\$?["']|\.exe\b/gi, "")
  if ((includesOne(text, logins) || includesOne(text, hashes)) && includesOne(text, interpreters)) return true
  for (const part of parts) if (text.includes(part)) return holdsCommand(text) || holdsInput(text)
  return (text.includes("|") || text.includes("<<") || text.includes("<(")) && holdsInput(text)
}

/** What a shell takes for one blank. */
const separators = new RegExp(`${blanks}+`, "g")

/** Each command of `commandTable.ts` has one: in the program with a blank behind it, or in the subcommands with blanks around them. */
export const parts: ReadonlyArray<string> =
  "mysql,mariadb,7z ,7za ,7zz ,rar ,sshpass,mongo,cqlsh,hydra ,rdesktop,nxc ,netexec,crackmapexec,evil-winrm,hey ,ab ,xfreerdp,launchctl,nomad ,vercel , login ,sql server create,twine ,rabbitmq,nuget ,altool,useradd,usermod,patch secret,sqlcmd,osql ,bcp ,zip ,ipmitool,mosquitto_,security ,ldap,kadmin,plink ,pscp ,redis-,valkey-,openssl,apksigner,curl ,http ,https ,xh ,xhs ,java ,jenkins-cli,lftp,etcdctl,smbclient,rpcclient,ssh-keygen,auth init,uv ,influx ,gitlab-runner,snmp,keytool,jarsigner,secret set,secret:create,variable set,env:create,put-parameter,databricks,pdftk,nmcli,rclone,hash-password,unseal,authtoken,snyk ,bw ,encrypt_string,service install,reset-admin-password,setapikey,qpdf,SecureString,secrets set,dotenv,net ,env:set,env set,env add,kv put,kv patch,user-secrets,chamber,set-env,alias set,htpasswd,wpa_passphrase,mkpasswd,drush,credstash, config , set ,configure set,crudini,wg set,--arg,create secret,containerapp,secret init,secret create,travis ,config:set,config:add,env-set,railway,appsettings set,vault ,set env,sonar-scanner,mvn ,gradle,wp ,cmdkey,sqlplus,impdp ,expdp ,sqlldr ,cypher-shell,neo4j-admin,swaks , keys set ,auth:token,twilio ".split(
    ","
  )

const holdsCommand = (text: string): boolean => {
  for (const { commands, options, place } of argumentRules()) {
    if (place === "pairs" ? !text.includes("=") : !includesOne(text, options) && !grouped.test(text)) continue
    if (place === "named" && !includesOne(text, partsOfNames)) continue
    for (const [program = "", ...subcommands] of commands) {
      if (text.includes(`${program} `) && text.includes(subcommands.join(" "))) return true
    }
  }
  return false
}

/** A letter for an option with a value behind others: `-vp`. */
const grouped = / -[vsfqtBNikr]{1,4}[A-Za-z]/

/** Each name of a secret has one of these. */
const partsOfNames = "ass oken ecret redential ey uth pw wd Pw PASS TOKEN SECRET CREDENTIAL KEY AUTH PW WD".split(" ")

const holdsInput = (text: string): boolean =>
  (text.includes("<<") || ((text.includes("|") || text.includes("<(")) && includesOne(text, writers))) &&
  (text.includes("sudo") || includesOne(text, readers) || includesOne(text, encoders))

const includesOne = (text: string, literals: ReadonlyArray<string>): boolean => {
  if (literals.length === 0) return true
  for (const literal of literals) if (text.includes(literal)) return true
  return false
}
