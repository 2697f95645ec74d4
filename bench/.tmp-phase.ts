import { SaxesParser } from "saxes";
import { openPromise } from "yauzl";
import { XmlWalker, walkInPieces } from "../src/read/excel/walk-xml.js";
import { decodeXml } from "../src/read/excel/decode-xml.js";
import { ZipParts } from "../src/read/excel/zip-parts.js";
import { stat } from "node:fs/promises";
import { openWorkbook } from "../src/read/excel/workbook.js";
import { sheetBatches } from "../src/read/excel/sheet-stream.js";
import { openExcel } from "../src/read/excel/open-excel.js";
import { SheetHandlers } from "../src/read/excel/sheet-handlers.js";
const path="/tmp/xl/b.xlsx";
const file={path,name:"b.xlsx",contentHash:"",bytes:(await stat(path)).size};
const cpu=async(n:string,f:()=>Promise<unknown>)=>{const c=process.cpuUsage();const t=performance.now();const r=await f();const d=process.cpuUsage(c);console.log(n,"cpu",((d.user+d.system)/1000).toFixed(0),"wall",(performance.now()-t).toFixed(0),r)};
const what=process.argv[2];
if(what==="raw") await cpu("raw saxes sheet",async()=>{const zip=await openPromise(path,{lazyEntries:true,autoClose:false});let n=0;for await(const e of zip.eachEntry()){ if(!/sheet1\.xml$/.test(e.fileName))continue;const p=new SaxesParser({position:false});p.on("opentag",({name})=>{if(name==="row")n++});p.on("text",(t)=>n+=t.length);p.on("closetag",()=>n++);const s=await zip.openReadStreamPromise(e);s.setEncoding("utf8");for await(const t of s)p.write(String(t));p.close();}return n});
const parts=await ZipParts.open(file);
if(what==="bytes") await cpu("bytes",async()=>{let n=0;for await(const b of parts.read("xl/worksheets/sheet1.xml","sheet"))n+=b.length;return n});
if(what==="decode") await cpu("decode",async()=>{let n=0;for await(const b of decodeXml(parts.read("xl/worksheets/sheet1.xml","sheet")))n+=b.length;return n});
if(what==="walk") await cpu("walker noop",async()=>{let n=0;for await(const _ of walkInPieces(parts,"xl/worksheets/sheet1.xml",{open(){n++},close(){n++},text(){n++}},"sheet"));return n});
if(what==="strings"){const wb=await openWorkbook(parts);await cpu("strings",async()=>(await wb.strings()).count)}
if(what==="sheet"){const wb=await openWorkbook(parts);await wb.strings();await cpu("sheet",async()=>{let n=0;for await(const b of sheetBatches(wb,wb.sheets[0]!))n+=b.rows.length;return n})}
if(what==="all"){await cpu("all",async()=>{const i=await openExcel(file);const t=await i.open({});let n=0;for await(const b of t.rows())n+=b.length;return n})}
